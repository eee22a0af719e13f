import type { CallToolResult, Tool as ToolDeclaration } from '@modelcontextprotocol/server';
import type { RequestContext } from './request-context';

export interface ToolCall {
  /** As they were sent; undefined when there are none. */
  arguments: Record<string, unknown> | undefined;
  /** `_meta` of the parameters: where payments travel. */
  meta: Readonly<Record<string, unknown>>;
  context: RequestContext;
}

/** One tool of `/mcp`. */
export interface Tool {
  readonly declaration: ToolDeclaration;
  /** @throws DomainError */
  call(call: ToolCall): Promise<CallToolResult>;
}

/** True of all of them: scoring is pure, and the same payment is never charged twice. */
export const READS_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
