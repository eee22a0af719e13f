import type { Gateway } from '../gateway.fixture';
import { analyze } from '../payments/payment.fixture';

export const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A tool result as it is sent. */
export interface ToolResult {
  isError?: boolean;
  structuredContent: Record<string, unknown> & {
    error?: string;
    details?: Record<string, unknown>;
    accepts?: Record<string, unknown>[];
    extensions?: Record<string, unknown>;
  };
  content: { type: string; text: string }[];
  _meta: Record<string, unknown> & {
    'x402/error'?: Record<string, unknown> & { accepts: Record<string, unknown>[] };
    'x402/payment-response'?: Record<string, unknown>;
  };
}

export interface ToolWish {
  name?: string;
  arguments?: object;
  meta?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** Sends one message, like a client of the protocol before 2026-07-28 after its handshake. */
export async function send(gateway: Gateway, message: unknown, headers: Record<string, string> = {}) {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  return gateway.send('/mcp', { method: 'POST', headers: { ...HEADERS, ...headers }, body });
}

/** Calls a tool, by default the one for 0.05 USD with its example. */
export async function callTool(gateway: Gateway, wish: ToolWish = {}): Promise<ToolResult> {
  const { name = analyze.toolName, arguments: input = analyze.exampleInput, meta, headers } = wish;
  const params = { name, arguments: input, ...(meta && { _meta: meta }) };
  const reply = await send(gateway, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
  if (reply.body['result'] === undefined) throw new Error(`no result: ${reply.status} ${reply.text}`);
  return reply.body['result'] as ToolResult;
}

/** The payment of a header, as an object. */
export function opened(header: string): object {
  return JSON.parse(Buffer.from(header, 'base64').toString()) as object;
}
