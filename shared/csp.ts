/**
 * What the page may do, whoever serves it: run its own scripts, show its own and embedded pictures, talk to its own
 * origin. Nothing from a transcript can load or send anything. `connect-src 'self'` covers the WebSocket of `serve`.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  // The virtualised lists place their rows by inline styles.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sent with every file of the page, by the private scheme and by `serve` alike. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};
