import type { IncomingHttpHeaders } from 'node:http';
import type { CallToolResult, Tool as ToolDeclaration } from '@modelcontextprotocol/server';
import type { Deadline } from '../calls/deadline';

export interface ToolCall {
  /** As they were sent; undefined when there are none. */
  arguments: Record<string, unknown> | undefined;
  /** `_meta` of the parameters: payments and credits come in it. */
  meta: Readonly<Record<string, unknown>>;
  context: RequestContext;
}

/** One tool of `/mcp`. */
export interface Tool {
  readonly declaration: ToolDeclaration;
  /** @throws DomainError */
  call(call: ToolCall): Promise<CallToolResult>;
}

/** True of all tools: scoring is pure, and the same payment is never charged twice. */
export const READS_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** The HTTP request of one message. */
export interface RequestContext {
  headers: IncomingHttpHeaders;
  /** The address that the limits count. */
  caller: string;
  requestId: string;
  deadline: Deadline;
  /** Sent with the HTTP answer, whatever the answer to the message is. */
  answerHeaders: Record<string, string>;
}
