import type { IncomingMessage } from 'node:http';
import { HttpRefusal } from './http-refusal';

const MAX_BYTES = 131_072;

/** @throws HttpRefusal when the body is over the cap */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new HttpRefusal(413, 'payload_too_large', `more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @throws HttpRefusal when it is not JSON */
export function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new HttpRefusal(400, 'malformed_json', 'the body is not JSON');
  }
}
