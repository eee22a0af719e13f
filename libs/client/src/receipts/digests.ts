import canonicalize from 'canonicalize';

/** What was asked, as it was sent; the body parsed. */
export interface AskedRequest {
  method: string;
  /** Without query. */
  path: string;
  body: unknown;
}

/** SHA-256 as `Content-Digest` writes it (RFC 9530). */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `sha-256=:${btoa(String.fromCharCode(...hash))}:`;
}

/** Of method, path and canonical body (RFC 8785), a line each: blanks and the order of members do not count. */
export async function requestDigest({ method, path, body }: AskedRequest): Promise<string> {
  return digestOf(new TextEncoder().encode(`${method}\n${path}\n${canonicalize(body)}`));
}
