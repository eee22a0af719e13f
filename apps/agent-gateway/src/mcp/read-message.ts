import {
  assertJsonContentType,
  inflateBody,
  MalformedJson,
  parseJson,
  ValidationFailed,
} from '@evenkeel/platform/validation';
import type { IncomingHttpHeaders } from 'node:http';

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** What is no message of JSON-RPC, as an error of that protocol. */
export class MalformedMessage extends Error {
  constructor(
    private readonly code: number,
    message: string,
    private readonly data?: object,
  ) {
    super(message);
  }

  get response(): Response {
    const { code, message, data } = this;
    return Response.json({ jsonrpc: '2.0', id: null, error: { code, message, data } }, { status: 400 });
  }
}

export interface Message {
  method?: unknown;
  params?: { name?: unknown };
}

/**
 * The one message of a body, with the same guards as any other JSON that reaches us.
 * @throws MalformedMessage, PayloadTooLarge, UnsupportedMediaType
 */
export function readMessage(headers: IncomingHttpHeaders, bytes: Buffer, maxBytes: number): Message {
  const inflated = inflateBody(bytes, headers['content-encoding'], maxBytes);
  assertJsonContentType(headers['content-type']);
  const message = parsed(inflated);
  if (Array.isArray(message)) throw new MalformedMessage(INVALID_REQUEST, 'Send one message with each request.');
  if (typeof message === 'object' && message !== null) return message;
  throw new MalformedMessage(INVALID_REQUEST, 'A message is a JSON object.');
}

function parsed(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (error instanceof MalformedJson) throw new MalformedMessage(PARSE_ERROR, error.message);
    if (!(error instanceof ValidationFailed)) throw error;
    throw new MalformedMessage(INVALID_REQUEST, error.message, error.details);
  }
}
