import type { IncomingMessage } from 'node:http';
import { isTracing } from '../observability';
import { ANSWER_HEADERS, openCorsHeaders } from './answer-headers';
import { errorAnswer, plainErrorShape } from './error-answer';
import type { HttpOptions } from './http-options';
import type { RequestHandler } from './http-server';
import { pathOf, requestIdOf } from './request';
import type { RequestRecords } from './request-records';

/** The answer to a request that the framework does not see. */
export interface EarlyAnswer {
  /** Template of the path, for the metrics. */
  route: string;
  status: number;
  /** Beside those that every answer has: names and values in turns, which Node writes as they are. */
  headers: readonly string[];
  body: Buffer;
}

/**
 * Looks at each request before the framework does.
 * @returns null when the framework is to answer; nothing of the body may have been read then
 */
export type EarlyHandler = (request: IncomingMessage) => Promise<EarlyAnswer | null> | null;

/** Early answers have the headers, the count and the log line of all others. Traced requests, and pages of some origins alone, get none. */
export function answerEarly(
  early: EarlyHandler | undefined,
  framework: RequestHandler,
  options: HttpOptions,
  records: RequestRecords,
): RequestHandler {
  if (!early || !options.isOpenToAllOrigins || isTracing()) return framework;
  const common = Object.entries({ ...ANSWER_HEADERS, ...openCorsHeaders(options) }).flat();

  const failed = (request: IncomingMessage, requestId: string, error: unknown): EarlyAnswer => {
    options.logger.error({ err: error, requestId }, 'request failed');
    const { errorShape = plainErrorShape } = options;
    const path = pathOf(request.url!);
    const answer = errorAnswer(undefined);
    const headers = ['content-type', 'application/json; charset=utf-8'];
    return { route: path, status: answer.status, headers, body: Buffer.from(JSON.stringify(errorShape(path, answer))) };
  };

  return (request, response) => {
    const startedMs = performance.now();
    const answer = early(request);
    if (!answer) return framework(request, response);
    const requestId = requestIdOf(request);
    const send = ({ route, status, headers, body }: EarlyAnswer): void => {
      const own = ['x-request-id', requestId, 'content-length', String(body.length)];
      // Node writes a string of this encoding together with the head; two writes take a tenth more of an unpaid call.
      response.writeHead(status, common.concat(headers, own)).end(body.toString('latin1'), 'latin1');
      records.add(request, route, { status, requestId, durationMs: performance.now() - startedMs });
    };
    answer.then(
      (given) => (given ? send(given) : framework(request, response)),
      (error: unknown) => send(failed(request, requestId, error)),
    );
  };
}
