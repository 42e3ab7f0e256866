/** Longest folder name the program makes from a path without a hash. */
const longest = 200;

/** The name of a project's folder under `projects/`, made from its path (FORMAT.md, "Project folders"). It cannot be turned back. */
export function encodedFolder(cwd: string): string {
  const name = cwd.replace(/[^A-Za-z0-9]/g, '-');
  if (name.length <= longest) return name;
  let hash = 0;
  for (let i = 0; i < cwd.length; i++) hash = (Math.imul(hash, 31) + cwd.charCodeAt(i)) | 0;
  return `${name.slice(0, longest)}-${Math.abs(hash).toString(36)}`;
}
