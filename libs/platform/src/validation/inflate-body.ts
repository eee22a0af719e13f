import { gunzipSync } from 'node:zlib';
import { PayloadTooLarge, UnsupportedMediaType } from '../http/http-errors';
import { MalformedJson } from './malformed-json';

/**
 * The body as its sender wrote it. gzip alone is undone; the cap counts what comes out of it, so that a small bomb
 * is refused while it is still small.
 * @throws PayloadTooLarge, UnsupportedMediaType (another encoding), MalformedJson (broken gzip)
 */
export function inflateBody(bytes: Buffer, contentEncoding: string | undefined, maxBytes: number): Buffer {
  const encoding = contentEncoding?.trim().toLowerCase() || 'identity';
  if (encoding === 'gzip') return gunzipped(bytes, maxBytes);
  if (encoding !== 'identity') throw new UnsupportedMediaType('The body may be encoded with gzip only.');
  if (bytes.length > maxBytes) throw new PayloadTooLarge({ max_bytes: maxBytes });
  return bytes;
}

function gunzipped(bytes: Buffer, maxBytes: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new PayloadTooLarge({ max_bytes: maxBytes });
    throw new MalformedJson('The body is not valid gzip.');
  }
}
