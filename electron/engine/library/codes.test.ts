import { expect, test } from 'vitest';
import { decodeKey, digestOf, encodeKey, kindCode } from './codes';

test('a UUID takes 16 bytes and comes back as it was', () => {
  const uuid = '9389920d-9458-4aa7-9590-40ecc39fb147';
  const stored = encodeKey(uuid);
  expect(Buffer.isBuffer(stored) && stored.length).toBe(16);
  expect(decodeKey(stored)).toBe(uuid);
});

test('any other key stays as it is, upper-case UUIDs too', () => {
  for (const key of ['msg_1e397aa35001SuXTMrLOAsEMXl', '9389920D-9458-4AA7-9590-40ECC39FB147', '', 'not-a-uuid-but-just-as-long-as-one-is']) {
    expect(encodeKey(key)).toBe(key);
    expect(decodeKey(encodeKey(key))).toBe(key);
  }
});

test('equal texts have equal digests, other texts and lengths have others', () => {
  expect(digestOf('a retry')).toBe(digestOf('a retry'));
  expect(digestOf('a retry')).not.toBe(digestOf('a retrY'));
  const long = 'x'.repeat(300);
  expect(digestOf(long)).not.toBe(digestOf(`${long}x`));
});

test('a word that has no code is a fault of ours', () => {
  expect(kindCode.word(kindCode.code('compaction'))).toBe('compaction');
  expect(() => kindCode.word(99)).toThrow('part kind has no word for 99');
});
