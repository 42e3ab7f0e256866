import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { ManualPort } from '@shared/port';

/** Characters of one message; a peer that sends more is cut off rather than held in memory. */
const messageLimit = 64 * 1024 * 1024;

/** A port over a socket between processes of one user: one JSON message a line. */
export function portOver(socket: Socket): ManualPort {
  const port = new ManualPort((data) => void socket.write(`${JSON.stringify(data)}\n`), () => socket.end());
  const decoder = new StringDecoder('utf8');
  let held = '';
  socket.on('data', (bytes) => {
    const lines = (held + decoder.write(bytes)).split('\n');
    held = lines.pop() ?? '';
    if (held.length > messageLimit) return void socket.destroy();
    for (const line of lines) if (line !== '') port.deliver(JSON.parse(line) as unknown);
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => port.closed());
  return port;
}
