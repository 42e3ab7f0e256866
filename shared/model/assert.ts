/** Closes a union: a case that the compiler believes impossible is our own fault and says which value it was. */
export function assertNever(value: never, what: string): never {
  throw new Error(`Unexpected ${what}: ${JSON.stringify(value)}`);
}
