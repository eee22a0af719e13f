import { MIMEType } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { DomainError } from '@evenkeel/kernel';
import { PayloadTooLarge, UnsupportedMediaType } from '../http/http-errors';

export class MalformedJson extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'malformed_json';
  constructor(message = 'The body is not valid JSON.') {
    super(message);
  }
}

/**
 * A body must be `application/json`, in UTF-8 where it names a charset; without a content type it is taken for JSON.
 * @throws UnsupportedMediaType
 */
export function assertJsonContentType(contentType: string | undefined): void {
  if (contentType === undefined || contentType === 'application/json') return;
  if (!isJsonInUtf8(contentType)) throw new UnsupportedMediaType();
}

function isJsonInUtf8(contentType: string): boolean {
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === 'application/json' && (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8';
  } catch {
    return false;
  }
}

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
