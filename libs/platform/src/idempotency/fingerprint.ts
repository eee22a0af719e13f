import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

const FORM = /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]+)"|([^;\s]+))/i;
/** A form of more is compared as it is: taking it apart would take long. */
const MOST_PARTS = 100;

/**
 * Equal for two requests that ask for the same: SHA-256 of the body. A form is read by its parts, because clients
 * choose another boundary each time.
 * @param query name of a query parameter that is compared too
 */
export function fingerprintOf({ body, headers, query: given }: FastifyRequest, query?: string): Buffer {
  const bytes = (body as Buffer | undefined) ?? Buffer.alloc(0);
  const hash = createHash('sha256');
  const value = query === undefined ? undefined : (given as Record<string, unknown>)[query];
  if (value !== undefined) hash.update(`?${query}=${JSON.stringify(value)}\n`);
  const parts = partsOf(bytes, headers['content-type']);
  if (!parts) return hash.update(bytes).digest();
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest();
}

function partsOf(body: Buffer, contentType: string | undefined): Buffer[] | undefined {
  const [, quoted, plain] = FORM.exec(contentType ?? '') ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return undefined;
  const delimiter = Buffer.from(`--${boundary}`);
  const parts: Buffer[] = [];
  let from = 0;
  while (parts.length < MOST_PARTS) {
    const to = body.indexOf(delimiter, from);
    if (to < 0) return [...parts, body.subarray(from)];
    parts.push(body.subarray(from, to));
    from = to + delimiter.length;
  }
  return undefined;
}
