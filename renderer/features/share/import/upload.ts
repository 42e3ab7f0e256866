import type { UploadAnswer } from '@shared/model';
import { call } from '../../../rpc';

/** Bytes of a piece: in base64 far below what a message may have. */
const pieceBytes = 1_000_000;

/** Sends a file up to the machine the engine runs on; gives its name there, or why it was not taken. */
export async function sendUp(file: File, signal: AbortSignal, progress: (bytes: number) => void): Promise<string | { refused: string }> {
  let upload: string | null = null;
  try {
    for (let at = 0; at < file.size || upload === null; at += pieceBytes) {
      const data = await base64Of(file.slice(at, at + pieceBytes));
      const answer: UploadAnswer = await call('import.upload', { upload, name: file.name, size: file.size, at, data }, { signal });
      if ('refused' in answer) return answer;
      ({ upload } = answer);
      progress(answer.received);
    }
    return upload;
  } catch (error) {
    if (upload !== null) discardUpload(upload);
    throw error;
  }
}

export function discardUpload(upload: string): void {
  call('import.discard', { upload }).catch(() => undefined);
}

function base64Of(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const text = String(reader.result);
      resolve(text.slice(text.indexOf(',') + 1));
    };
    reader.onerror = () => reject(new Error('The file could not be read.'));
    reader.readAsDataURL(blob);
  });
}
