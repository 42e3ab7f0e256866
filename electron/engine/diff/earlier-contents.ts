import { type Content, contentId } from './content';

/** Contents of one file that are remembered to see it go back. */
const remembered = 30;

/** The contents one file had, by their ids: the newest ones. */
export class EarlierContents {
  readonly #ids: string[] = [];

  /** True for a content that the file had at some moment, as far as they are remembered. */
  had(content: Content): boolean {
    return content.state !== 'unknown' && this.#ids.includes(contentId(content));
  }

  /** `origin`: what the file began with. */
  take(now: Content, origin: Content): void {
    if (now.state === 'unknown') return;
    if (this.#ids.length === 0 && origin.state !== 'unknown') this.#ids.push(contentId(origin));
    const id = contentId(now);
    if (this.#ids.at(-1) === id) return;
    this.#ids.push(id);
    if (this.#ids.length > remembered) this.#ids.shift();
  }
}
