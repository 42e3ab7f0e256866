import type { ExportFormat } from '@shared/model';

const endings: Record<ExportFormat, string> = { markdown: '.md', html: '.html', json: '.json', opencode: '.opencode.json', bundle: '.retrace.jsonl' };

/** Names that Windows keeps for devices. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** A name that every file system takes, out of a title: letters and digits of any script, the rest is a dash. */
export function fileNameOf(title: string, format: ExportFormat): string {
  const words = title.normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '');
  let name = '';
  // Bytes, since file systems count those.
  for (const character of words) if (Buffer.byteLength(name + character) <= 80) name += character;
  name = name.replace(/-+$/, '').toLowerCase();
  return `${name === '' || devices.test(name) ? 'session' : name}${endings[format]}`;
}
