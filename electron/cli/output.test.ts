import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { Output, OutputClosed } from './output';

function collector(failAfter = Infinity, code = 'EPIPE') {
  const chunks: string[] = [];
  const stream = new Writable({
    highWaterMark: 1024,
    write(chunk: Buffer, _encoding, done) {
      setImmediate(() => {
        if (chunks.length >= failAfter) return done(Object.assign(new Error('gone'), { code }));
        chunks.push(chunk.toString('utf8'));
        done();
      });
    },
  });
  return { stream, chunks };
}

test('small pieces are gathered, all of them arrive', async () => {
  const { stream, chunks } = collector();
  const out = new Output(stream);
  expect(out.isUntouched).toBe(true);
  for (let i = 0; i < 50_000; i++) await out.write(`${i}\n`);
  expect(out.isUntouched).toBe(false);
  await out.finish();
  expect(chunks.join('')).toBe(Array.from({ length: 50_000 }, (_, i) => `${i}\n`).join(''));
  expect(chunks.length).toBeLessThan(10);
});

test('a list is one document with one element a line', async () => {
  const { stream, chunks } = collector();
  const out = new Output(stream);
  await out.jsonList([{ a: 1 }, { b: [2] }]);
  await out.jsonList([]);
  await out.finish();
  expect(chunks.join('')).toBe('[\n{"a":1},\n{"b":[2]}\n][]');
});

test('a reader that goes away ends the work with OutputClosed', async () => {
  const { stream } = collector(1);
  const out = new Output(stream);
  const work = async () => {
    for (let i = 0; i < 100; i++) await out.write('x'.repeat(64 * 1024));
    await out.finish();
  };
  await expect(work()).rejects.toBeInstanceOf(OutputClosed);
});

test('a full disk is a fault that is named', async () => {
  const { stream } = collector(0, 'ENOSPC');
  const out = new Output(stream);
  await out.write('x');
  await expect(out.finish()).rejects.toThrow('gone');
});
