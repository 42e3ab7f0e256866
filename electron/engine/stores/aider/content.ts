import { headerLine } from './split';

/**
 * What a record says, from its bytes alone: the timeline's bodies are made from them long after the file was split.
 * A record of a run, a prompt or an answer begins with the empty line the program writes before it; a program message does not.
 */
export type Form = 'run' | 'user' | 'answer' | 'tool';

export interface Content {
  form: Form;
  /** A prompt or answer as it was given; program messages line by line, without their marks. */
  text: string;
  /** Local start time of a run, as written. */
  started: string | null;
}

export function contentOf(record: Uint8Array): Content {
  const text = Buffer.from(record.buffer, record.byteOffset, record.byteLength).toString('utf8');
  // The record's own first line end tells whose the CRs are: the program ends every line the same way.
  const crlf = /^[^\n]*\r\n/.test(text);
  const lines = text.split(crlf ? /\r\n/ : '\n');
  const leads = lines[0] === '' && lines.length > 1;
  const [first = ''] = leads ? lines.slice(1) : lines;
  const started = headerLine.exec(first.replace(/\r$/, ''))?.[1] ?? null;
  if (started !== null) return { form: 'run', text: messagesOf(lines.slice(leads ? 2 : 1)), started };
  const rest = leads ? lines.slice(1) : lines;
  // Where an editor took the blanks at the line ends away, a prompt is told by its marks alone.
  if (/^#### .*  \r?$/s.test(first) || rest.every((line) => line.startsWith('#### '))) return { form: 'user', text: rest.map(promptLine).join('\n'), started };
  if (!leads && first.startsWith('> ')) return { form: 'tool', text: messagesOf(rest), started };
  return { form: 'answer', text: rest.join('\n'), started };
}

const withoutBlanks = (line: string): string => {
  const plain = line.replace(/\r$/, '');
  return plain.endsWith('  ') ? plain.slice(0, -2) : plain;
};

/** `#### text␣␣`; an empty line of a prompt keeps only its mark. */
const promptLine = (line: string): string => withoutBlanks(line).replace(/^#### ?/, '');

/** Messages one after the other. Of a message of several lines only the first is marked, and only the last ends in two blanks. */
function messagesOf(lines: string[]): string {
  const trimmed = !lines.some((line) => /  \r?$/.test(line));
  const said: string[] = [];
  let goesOn = false;
  for (const line of lines) {
    const plain = line.replace(/\r$/, '');
    if (plain === '' && !goesOn) continue;
    const isFirst = !goesOn && plain.startsWith('> ');
    goesOn = !trimmed && !plain.endsWith('  ');
    const text = withoutBlanks(plain);
    said.push(isFirst ? text.replace(/^> ?/, '') : text);
  }
  return said.join('\n').trimEnd();
}
