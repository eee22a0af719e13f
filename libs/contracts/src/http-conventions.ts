import { agentErrorBody, type FailedCall } from './errors/agent-error';
import type { ErrorBody } from './errors/error-body';

const AGENT_SURFACE = '/agent/v1';

/** What every service has in common over HTTP, in the form that `createHttpApp` of the platform takes. */
export const HTTP_CONVENTIONS = {
  /** Request headers that a page of another origin may send. */
  allowedHeaders: [
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
  ],

  /** Response headers that such a page may read. */
  exposedHeaders: [
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
  ],

  /** Request headers that no log may show, beside `Authorization` and `Cookie`; in lower case. */
  secretHeaders: ['x-payment', 'payment-signature', 'x-agent-credit', 'x-admin-token', 'stripe-signature'],

  /** People's data is there; everything else is for agents and crawlers of any origin. */
  isRestricted: (path: string): boolean =>
    (path.startsWith('/v1/') && path !== '/v1/capabilities') || path.startsWith('/dashboard'),

  /**
   * The body of an error by the surface it is given on.
   * @param path null where the request could not be parsed: the agent surface, as nothing was charged on any other either
   */
  errorShape: (path: string | null, answer: { status: number; body: ErrorBody }, call?: FailedCall): ErrorBody =>
    path === null || path.startsWith(AGENT_SURFACE) ? agentErrorBody(answer, call) : answer.body,
} as const;

export const APP_NAMES = ['agent-gateway', 'accounts', 'billing', 'reporting'] as const;
export type AppName = (typeof APP_NAMES)[number];

export interface RouteOwner {
  app: AppName;
  /** A path and everything below it; `/` is what no other app owns. */
  prefixes: readonly string[];
}

/** Which service answers which path. Edge configurations and the standalone listener are made from this table. */
export const ROUTES: readonly RouteOwner[] = [
  {
    app: 'agent-gateway',
    prefixes: [
      '/',
      '/agent/v1',
      '/v1/capabilities',
      '/.well-known',
      '/.well-known/receipt-jwks.json',
      '/llms.txt',
      '/openapi.json',
      '/docs',
      '/health',
      '/mcp',
      '/robots.txt',
      '/favicon.ico',
      '/favicon.svg',
    ],
  },
  { app: 'accounts', prefixes: ['/v1/auth', '/v1/account', '/v1/habits', '/.well-known/jwks.json'] },
  { app: 'billing', prefixes: ['/v1/billing'] },
  { app: 'reporting', prefixes: ['/v1/admin', '/dashboard'] },
];

/**
 * The service that answers a path: the longest prefix decides.
 * @param path without query
 */
export function ownerOf(path: string): AppName {
  return OWNERS.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))?.app ?? EVERYTHING_ELSE;
}

const EVERYTHING_ELSE: AppName = 'agent-gateway';

/** Longest prefix first. `/` itself needs no entry: it and unknown paths belong to the same service. */
const OWNERS = ROUTES.flatMap(({ app, prefixes }) => prefixes.map((prefix) => ({ app, prefix })))
  .filter(({ prefix }) => prefix !== '/')
  .sort((a, b) => b.prefix.length - a.prefix.length);
