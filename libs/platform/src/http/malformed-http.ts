import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorAnswer, forSurface } from './error-body';
import { MalformedRequest, PayloadTooLarge } from './http-errors';
import { requestIdOf } from './request-id';

export const MAX_HEADER_BYTES = 16_384;

/** Answers what Node's parser refuses: bytes that are no HTTP, headers without end, requests that never finish. */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  // An answer that has begun on this connection must not get a second one into its middle.
  const { _httpMessage: current } = socket as Socket & { _httpMessage?: ServerResponse };
  if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent) {
    socket.destroy();
    return;
  }
  socket.end(rawAnswer(refusal(error.code)), () => socket.destroy());
}

function refusal(code: string | undefined): MalformedRequest | PayloadTooLarge {
  if (code === 'HPE_HEADER_OVERFLOW') return new PayloadTooLarge({ max_bytes: MAX_HEADER_BYTES }, 'header');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new MalformedRequest('The request did not arrive in time.');
  return new MalformedRequest();
}

/** The address is not known here, so the answer is that of the agent surface: nothing was charged on any other either. */
function rawAnswer(error: MalformedRequest | PayloadTooLarge): string {
  const answer = errorAnswer(error);
  const body = JSON.stringify(forSurface('/agent/v1', answer));
  const reason = answer.status === 413 ? 'Payload Too Large' : 'Bad Request';
  return [
    `HTTP/1.1 ${answer.status} ${reason}`,
    `X-Request-Id: ${requestIdOf({ headers: {} })}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
