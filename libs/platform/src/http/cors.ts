import { headerLines } from './ready-answer';

const ALLOWED_HEADERS = [
  'Content-Type',
  'Authorization',
  'X-PAYMENT',
  'PAYMENT-SIGNATURE',
  'X-Agent-Credit',
  'X-Wallet-Address',
  'Idempotency-Key',
  'X-Request-Id',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  // Payment clients send this answer header as a request header.
  'Access-Control-Expose-Headers',
].join(', ');

const EXPOSED_HEADERS = [
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
  'X-Request-Id',
  'X-Engine-Version',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Quota-Limit',
  'X-Quota-Used',
  'X-Quota-Remaining',
  'X-Quota-Period',
  'X-Agent-Credit-Status',
  'X-Evenkeel-Receipt',
  'Content-Digest',
  'Idempotent-Replayed',
  'Allow',
  'ETag',
].join(', ');

type Headers = Readonly<Record<string, string>>;

export const PREFLIGHT: Headers = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': ALLOWED_HEADERS,
  'access-control-max-age': '600',
};

const ANY_ORIGIN: Headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED_HEADERS };
const BY_ORIGIN: Headers = { vary: 'Origin' };

/** People's data lives here; everything else is for agents and crawlers of any origin. Never with credentials. */
function isRestricted(path: string): boolean {
  return (path.startsWith('/v1/') && path !== '/v1/capabilities') || path.startsWith('/dashboard');
}

/** The headers of an answer by path and origin, one ready object for each case. */
export class CorsPolicy {
  private readonly open: Headers;
  private readonly refused: Headers;
  private readonly listed: ReadonlyMap<string, Headers>;
  private readonly lines: ReadonlyMap<Headers, string>;

  /**
   * @param always headers of every answer
   * @param origins may read the restricted paths
   */
  constructor(always: Headers, origins: readonly string[]) {
    this.open = { ...always, ...ANY_ORIGIN };
    this.refused = { ...always, ...BY_ORIGIN };
    const allowed = (origin: string): Headers => ({
      ...this.open,
      ...this.refused,
      'access-control-allow-origin': origin,
    });
    this.listed = new Map(origins.map((origin) => [origin, allowed(origin)]));
    const all = [this.open, this.refused, ...this.listed.values()];
    this.lines = new Map(all.map((headers) => [headers, headerLines(headers)]));
  }

  headersFor(path: string, origin: string | undefined): Headers {
    if (!isRestricted(path) || this.listed.has('*')) return this.open;
    return (origin !== undefined && this.listed.get(origin)) || this.refused;
  }

  /** The same as text. */
  linesFor(path: string, origin: string | undefined): string {
    return this.lines.get(this.headersFor(path, origin))!;
  }
}
