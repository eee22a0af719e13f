import { agentErrorBody, type FailedCall, type ErrorBody } from './errors/error-body';
import { PROBLEMS_PATH } from './errors/error-codes';
import { LONG_PATHS } from './routes';

const AGENT_SURFACE = '/agent/v1';
/** The same calls for models that call tools. */
const AGENT_TOOLS = '/mcp';

/** Where a receiver of OTLP over HTTP takes traces, below its base address. */
export const OTLP_TRACES_PATH = '/v1/traces';

/** The HTTP conventions of every service, as an argument of the platform's `createHttpApp`. */
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
    'If-None-Match',
    'If-Match',
    'traceparent',
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

  problemsPath: PROBLEMS_PATH,

  /** Files are read, and backups of other apps made, before there is an answer. */
  isLong: (path: string): boolean => LONG_PATHS.includes(path),

  /**
   * The body of an error by the surface it is given on.
   * @param path null where the request could not be parsed: the agent surface, as nothing was charged on any other either
   */
  errorShape: (path: string | null, answer: { status: number; body: ErrorBody }, call?: FailedCall): ErrorBody =>
    path === null || path.startsWith(AGENT_SURFACE) || path === AGENT_TOOLS
      ? agentErrorBody(answer, call)
      : answer.body,
} as const;
