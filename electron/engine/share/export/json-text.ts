/** Characters that JSON leaves as they are and a terminal may obey: DEL, C1 controls, line separators, marks that turn the reading direction. */
const obeyed = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** JSON that is safe to print: the same value, with every control character written as an escape. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(obeyed, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
