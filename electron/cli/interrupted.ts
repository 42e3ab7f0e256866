/** The person pressed Ctrl-C; what was read until then is kept. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}
