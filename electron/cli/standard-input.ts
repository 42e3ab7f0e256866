import { closeSync, createWriteStream, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import type { Engine } from '@shared/link';
import type { UploadAnswer } from '@shared/model';
import { Refusal } from './command-context';

/** Bytes of a piece: in base64 far below what a message may have. */
const pieceBytes = 1_000_000;

/** Sends what stands on standard input to the engine, which may be another process; gives the name by which it is imported there. */
export async function sentUp(engine: Engine, stdin: Readable, signal: AbortSignal): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'retrace-stdin-'));
  try {
    const file = join(folder, 'input');
    await pipeline(stdin, createWriteStream(file, { mode: 0o600, flags: 'wx' }), { signal });
    return `upload:${await sendFile(engine, file, signal)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function sendFile(engine: Engine, path: string, signal: AbortSignal): Promise<string> {
  const { size } = statSync(path);
  const file = openSync(path, 'r');
  try {
    let upload: string | null = null;
    for (let at = 0; at < size || upload === null; at += pieceBytes) {
      const piece = Buffer.alloc(Math.min(pieceBytes, size - at));
      readSync(file, piece, 0, piece.length, at);
      const answer: UploadAnswer = await engine.call('import.upload', { upload, name: 'standard input', size, at, data: piece.toString('base64') }, { signal });
      if ('refused' in answer) throw new Refusal(answer.refused);
      upload = answer.upload;
    }
    return upload;
  } finally {
    closeSync(file);
  }
}
