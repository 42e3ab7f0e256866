import { randomBytes, timingSafeEqual } from 'node:crypto';

/** Bytes of randomness in a token. */
const strength = 24;

/** The secret in the printed link: whoever has it may open the page. */
export interface Token {
  value: string;
  /** Compares in a time that tells nothing of how much was right. */
  matches(given: string | null | undefined): boolean;
}

export function createToken(): Token {
  const value = randomBytes(strength).toString('base64url');
  const expected = Buffer.from(value);
  return {
    value,
    matches(given) {
      const candidate = Buffer.from(given ?? '');
      return candidate.length === expected.length && timingSafeEqual(candidate, expected);
    },
  };
}

/** Cookies do not tell ports apart, so two servers on one machine need two names. */
export function cookieName(port: number): string {
  return `retrace-${port}`;
}

/** Scripts cannot read it, and no other site can make a browser send it. It goes when the browser closes. */
export function setCookie(name: string, token: Token): string {
  return `${name}=${token.value}; HttpOnly; SameSite=Strict; Path=/`;
}

/** The value of a cookie in a `Cookie` header. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const prefix = `${name}=`;
  return header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix))
    ?.slice(prefix.length);
}
