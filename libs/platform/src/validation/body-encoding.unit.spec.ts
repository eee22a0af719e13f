import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { UnsupportedMediaType } from '../http/http-errors';
import { assertJsonContentType, inflateBody } from './body-encoding';

describe('assertJsonContentType', () => {
  it.each([
    undefined,
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf-8; version=1',
    'application/json;',
  ])('takes %p', (type) => expect(() => assertJsonContentType(type)).not.toThrow());

  it.each([
    '',
    'text/plain',
    'application/jsonp',
    'application/problem+json',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; charset',
    'application/json, text/plain',
    'multipart/form-data; boundary=x',
  ])('refuses %p', (type) => expect(() => assertJsonContentType(type)).toThrow(UnsupportedMediaType));
});

const text = Buffer.from('{"habits":[]}');
const refusal = (bytes: Buffer, encoding: string | undefined, maxBytes = 1_000) => {
  try {
    inflateBody(bytes, encoding, maxBytes);
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('inflateBody', () => {
  it.each([undefined, '', 'identity', 'Identity'])('leaves a body alone that is encoded as %p', (encoding) =>
    expect(inflateBody(text, encoding, 1_000)).toBe(text),
  );

  it.each(['gzip', ' GZIP '])('undoes %p', (encoding) =>
    expect(inflateBody(gzipSync(text), encoding, 1_000).toString()).toBe(text.toString()),
  );

  it.each([
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['gzip, gzip', gzipSync(gzipSync(text))],
    ['zstd', text],
  ])('refuses %s', (encoding, bytes) =>
    expect(refusal(bytes, encoding)).toMatchObject({ code: 'unsupported_media_type' }),
  );

  it('caps the bytes that come out, to the byte', () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    expect(refusal(bomb, 'gzip')).toMatchObject({ code: 'payload_too_large', details: { max_bytes: 1_000 } });
    expect(refusal(gzipSync(Buffer.alloc(1_001)), 'gzip')).toMatchObject({ code: 'payload_too_large' });
    expect(refusal(gzipSync(Buffer.alloc(1_000)), 'gzip')).toBeUndefined();
  });

  it('caps a plain body alike', () => {
    expect(refusal(Buffer.alloc(1_001), undefined)).toMatchObject({
      code: 'payload_too_large',
      details: { max_bytes: 1_000 },
    });
    expect(refusal(Buffer.alloc(1_000), undefined)).toBeUndefined();
  });

  it.each([
    ['something else', text],
    ['half of it', gzipSync(text).subarray(0, 15)],
    ['nothing', Buffer.alloc(0)],
  ])('calls %s broken gzip', (_, bytes) => expect(refusal(bytes, 'gzip')).toMatchObject({ code: 'malformed_json' }));
});
