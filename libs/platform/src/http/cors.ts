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

const OPEN: Headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED_HEADERS };
const CLOSED: Headers = { vary: 'Origin' };

/** People's data lives here; everything else is for agents and crawlers of any origin. Never with credentials. */
function isRestricted(path: string): boolean {
  return (path.startsWith('/v1/') && !path.startsWith('/v1/capabilities')) || path.startsWith('/dashboard');
}

/** Headers by path and origin, one ready object for each case. */
export class CorsPolicy {
  private readonly listed: ReadonlyMap<string, Headers>;

  /** @param origins may read the restricted paths */
  constructor(origins: readonly string[]) {
    this.listed = new Map(
      origins.map((origin) => [origin, { ...OPEN, ...CLOSED, 'access-control-allow-origin': origin }]),
    );
  }

  headersFor(path: string, origin: string | undefined): Headers {
    if (!isRestricted(path) || this.listed.has('*')) return OPEN;
    return (origin !== undefined && this.listed.get(origin)) || CLOSED;
  }
}
