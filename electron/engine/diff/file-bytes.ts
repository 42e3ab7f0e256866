import { assertNever, type FileBytes } from '@shared/model';
import type { Content } from './content';
import { pictureIn } from './picture';

/**
 * Bytes of a picture that go over the link, and pixels of one that is drawn: a browser holds four bytes a pixel, and a
 * small file may claim millions of them. Beyond either the picture is named with its sizes.
 */
const limits = { bytes: 5_000_000, pixels: 25_000_000 };

const gitName = /^[0-9a-f]{40,64}$/;

/** A content as bytes. `read` gets those of one that is no text; null where they cannot be had. */
export async function fileBytes(content: Content, read: (content: Extract<Content, { state: 'binary' }>) => Promise<Buffer | null>): Promise<FileBytes> {
  const nothing = { state: content.state, size: null, hash: null, picture: null, why: null };
  switch (content.state) {
    case 'absent':
    case 'unknown':
      return nothing;
    case 'text':
      return { ...nothing, size: Buffer.byteLength(content.text) };
    case 'too large':
      return { ...nothing, size: content.bytes, hash: gitName.test(content.id) ? content.id : null, why: 'It is too large to be looked into.' };
    case 'binary': {
      const known = { ...nothing, size: content.bytes, hash: gitName.test(content.id) ? content.id : null };
      const bytes = await read(content);
      return bytes === null ? { ...known, why: 'Its bytes cannot be read any more.' } : { ...known, ...pictureOf(bytes) };
    }
    default:
      return assertNever(content, 'content of a file');
  }
}

function pictureOf(bytes: Buffer): Pick<FileBytes, 'picture' | 'why'> {
  const facts = pictureIn(bytes);
  if (!facts) return { picture: null, why: null };
  const why =
    bytes.length > limits.bytes ? `The picture is not shown: it has more than ${limits.bytes / 1_000_000} MB.`
    : facts.width * facts.height > limits.pixels ? `The picture is not shown: it has more than ${limits.pixels / 1_000_000} million pixels.`
    : null;
  return { picture: { ...facts, data: why === null ? bytes.toString('base64') : null }, why };
}
