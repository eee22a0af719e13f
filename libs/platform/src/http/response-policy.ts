import type { HttpOptions } from './http-options';
import { headerLines } from './text-answers';
import { RequestCounts, CountedAnswers, requestLog, type RequestLog } from './request-records';

/** On every answer. */
const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;

/** What every answer of an application has in common, with and without the framework. */
export interface ResponsePolicy {
  options: HttpOptions;
  cors: CorsPolicy;
  log: RequestLog;
  counted: CountedAnswers;
  requests: RequestCounts;
}

export function responsePolicyOf(options: HttpOptions): ResponsePolicy {
  return {
    options,
    cors: new CorsPolicy(EVERYWHERE, options),
    log: requestLog(options),
    counted: new CountedAnswers(options.logger),
    requests: new RequestCounts(),
  };
}

const ALLOWED_HEADERS = ['Content-Type', 'Authorization', 'Idempotency-Key', 'X-Request-Id'];
const EXPOSED_HEADERS = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'Allow', 'ETag'];

type Headers = Readonly<Record<string, string>>;
type CorsOptions = Pick<HttpOptions, 'allowedHeaders' | 'exposedHeaders' | 'isRestricted' | 'corsOrigins'>;

/** The headers of an answer by path and origin, one ready object for each case. Never with credentials. */
class CorsPolicy {
  /** Headers of the answer to a preflight, beside those of every answer. */
  readonly preflight: Headers;
  private readonly isRestricted: (path: string) => boolean;
  private readonly open: Headers;
  private readonly refused: Headers;
  private readonly listed: ReadonlyMap<string, Headers>;
  private readonly lines: ReadonlyMap<Headers, string>;

  /** @param always headers of every answer */
  constructor(
    always: Headers,
    {
      allowedHeaders = ALLOWED_HEADERS,
      exposedHeaders = EXPOSED_HEADERS,
      isRestricted = () => true,
      corsOrigins = [],
    }: CorsOptions,
  ) {
    this.preflight = {
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': allowedHeaders.join(', '),
      'access-control-max-age': '600',
    };
    const anyOrigin: Headers = {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': exposedHeaders.join(', '),
    };
    this.isRestricted = isRestricted;
    this.open = { ...always, ...anyOrigin };
    this.refused = { ...always, vary: 'Origin' };
    const allowed = (origin: string): Headers => ({
      ...this.open,
      ...this.refused,
      'access-control-allow-origin': origin,
    });
    this.listed = new Map(corsOrigins.map((origin) => [origin, allowed(origin)]));
    const all = [this.open, this.refused, ...this.listed.values()];
    this.lines = new Map(all.map((headers) => [headers, headerLines(headers)]));
  }

  headersFor(path: string, origin: string | undefined): Headers {
    if (!this.isRestricted(path) || this.listed.has('*')) return this.open;
    return (origin !== undefined && this.listed.get(origin)) || this.refused;
  }

  /** The same as text. */
  linesFor(path: string, origin: string | undefined): string {
    return this.lines.get(this.headersFor(path, origin))!;
  }
}
