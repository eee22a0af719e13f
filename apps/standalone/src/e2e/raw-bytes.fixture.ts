import { connect } from 'node:net';
import fc from 'fast-check';
import type { PlainAnswer } from './documented-answer.fixture';
import { bytes } from './malformed-request.fixture';

const LINE = 'POST /agent/v1/habits/analyze HTTP/1.1\r\n';
const HOST = 'Host: localhost\r\n';

/** What a client library would not send; every connection is half-closed after it. */
export const rawBytes: fc.Arbitrary<Buffer> = fc.oneof(
  bytes(1, 400),
  fc
    .constantFrom(
      'GET / HTTP/9.9\r\n\r\n',
      'get / http/1.1\r\n\r\n',
      'FOO /agent/v1/habits/analyze HTTP/1.1\r\n\r\n',
      'CONNECT localhost:1 HTTP/1.1\r\n\r\n',
      'GET \u0000 HTTP/1.1\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      `${LINE}${HOST}Content-Length: -1\r\n\r\n`,
      `${LINE}${HOST}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
      `${LINE}${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${LINE}${HOST}Content-Length: 500\r\n\r\n{"habits":`,
      `${LINE}${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      `${LINE}${HOST}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n`,
      `${LINE}${HOST}Transfer-Encoding: gzip\r\n\r\n`,
      `${LINE}${HOST}No colon\r\n\r\n`,
      `${LINE}${HOST}X-PAYMENT: a\nb\r\n\r\n`,
      `${LINE}${HOST}X-PAYMENT: \u0001\u007f\r\n\r\n`,
      `${LINE}${HOST} folded: x\r\n\r\n`,
      `${LINE}${HOST}X-PAYMENT: ${'A'.repeat(20_000)}\r\n\r\n`,
      `${LINE}${'a: b\r\n'.repeat(3_000)}\r\n`,
      `POST /${'a'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`,
      LINE,
      '\r\n\r\n\r\n',
    )
    .map((text) => Buffer.from(text, 'latin1')),
  fc.tuple(fc.nat(60), bytes(1, 40)).map(([at, noise]) => {
    const request = Buffer.from(`${LINE}${HOST}Content-Length: 2\r\nContent-Type: application/json\r\n\r\n{}`);
    return Buffer.concat([request.subarray(0, at), noise, request.subarray(at)]);
  }),
);

/**
 * The first answer on the connection; an empty one where it was closed without a word.
 * @throws Error when nothing happens within the limit
 */
export async function rawAnswer(url: string, sent: Buffer, limitMs: number): Promise<PlainAnswer> {
  const { hostname, port } = new URL(url);
  const received = await new Promise<string>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let text = '';
    const limit = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer in ${limitMs} ms to ${JSON.stringify(sent.toString('latin1').slice(0, 300))}`));
    }, limitMs);
    socket.setEncoding('latin1').on('data', (part: string) => (text += part));
    // A connection that is reset has been answered as far as it will be.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(limit);
      resolve(text);
    });
    socket.on('end', () => socket.end());
    socket.end(sent);
  });
  return parsed(received);
}

function parsed(received: string): PlainAnswer {
  const [head = '', ...bodies] = received.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(':')).toLowerCase(),
      field.slice(field.indexOf(':') + 1).trim(),
    ]),
  );
  return { status: Number(line.split(' ')[1]), headers, text: bodies[0] ?? '' };
}
