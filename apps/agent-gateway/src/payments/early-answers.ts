import type { IncomingMessage } from 'node:http';
import {
  ANSWER_HEADERS,
  errorAnswer,
  pathOf,
  requestIdOf,
  type EarlyContext,
  type RequestHandler,
} from '@evenkeel/platform/http';
import { isTracing } from '@evenkeel/platform/observability';

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

/**
 * Early answers have the headers, the count and the log line of all others, and pages of every origin may read them. Traced
 * requests get none.
 */
export function answerEarly(early: EarlyHandler, { framework, options, records }: EarlyContext): RequestHandler {
  if (isTracing()) return framework;
  const { logger, errorShape, exposedHeaders = [] } = options;
  const cors = { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposedHeaders.join(', ') };
  const common = Object.entries({ ...ANSWER_HEADERS, ...cors }).flat();

  const failed = (request: IncomingMessage, requestId: string, error: unknown): EarlyAnswer => {
    logger.error({ err: error, requestId }, 'request failed');
    const path = pathOf(request.url!);
    const answer = errorAnswer(undefined);
    const headers = ['content-type', 'application/json; charset=utf-8'];
    const body = errorShape?.(path, answer) ?? answer.body;
    return { route: path, status: answer.status, headers, body: Buffer.from(JSON.stringify(body)) };
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
