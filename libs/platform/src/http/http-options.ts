import type { INestApplicationContext } from '@nestjs/common';
import type { ServiceConfig } from '../config';
import type { Logger } from '../observability';
import type { ErrorShape } from './error-answer';
import type { RequestHandler } from './http-server';
import type { RequestRecords } from './request-records';

/** The common rules of a product's surfaces, stated by its contracts: the platform names no path and no header of a product. */
export interface HttpConventions {
  /** Request headers that a page of another origin may send. Default: those of HTTP itself that a JSON API uses. */
  allowedHeaders?: readonly string[];
  /** Response headers that such a page may read. Default: those that the platform sends. */
  exposedHeaders?: readonly string[];
  /** Whether pages of every origin may read the answers. Default: those of `corsOrigins` alone. */
  isOpenToAllOrigins?: boolean;
  /** Below `publicBaseUrl`: the `type` of a problem document is the code of its error below that. Default none: `about:blank`. */
  problemsPath?: string;
  /** From a whole request to its answer: after it 503. Default 4,700; `Infinity` where the handlers themselves end each wait. */
  answerWithinMs?: number;
  /** Whether the work of a path may take longer. Default: that of none. */
  isLong?: (path: string) => boolean;
  /**
   * Whether a path that cannot be decoded reaches its handler as it was sent. Default: none, such a path is a 400.
   */
  isTakenRaw?: (path: string) => boolean;
  /** Takes requests before the framework does: for a path whose cost is measured. Default: the framework takes all. */
  takeEarly?: (app: INestApplicationContext, context: EarlyContext) => RequestHandler;
  /** Shapes the body of an error. Default: code, message and details as they are. */
  errorShape?: ErrorShape;
}

/** What an early answer needs: the handler of all other requests, and what every answer has. */
export interface EarlyContext {
  framework: RequestHandler;
  options: HttpOptions;
  records: RequestRecords;
}

export interface HttpOptions extends HttpConventions {
  logger: Logger;
  /** Cap on the bytes of a body as they arrive, before any inflation; `@MaxBodyBytes` sets another for a route. */
  maxBodyBytes: number;
  /** Base of the `type` of a problem document. */
  publicBaseUrl: string;
  /** Origins that may read the answers; `*` opens them to all. Default none. */
  corsOrigins?: readonly string[];
  /** Proxies in front that are ours; the caller's address is what the farthest of them saw. Default 0. */
  trustedProxyHops?: number;
  /** One line per request. Default true. */
  requestLog?: boolean;
}

/** The options that the settings of a service state. */
export function httpOptionsOf(config: ServiceConfig, logger: Logger, conventions: HttpConventions = {}): HttpOptions {
  return {
    ...conventions,
    logger,
    maxBodyBytes: config.MAX_BODY_BYTES,
    publicBaseUrl: config.baseUrl,
    corsOrigins: config.corsOrigins,
    trustedProxyHops: config.TRUSTED_PROXY_HOPS,
  };
}
