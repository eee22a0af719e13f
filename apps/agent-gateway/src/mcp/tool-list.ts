import { DomainError } from '@evenkeel/kernel';
import { ProtocolError, ProtocolErrorCode, type CallToolResult } from '@modelcontextprotocol/server';
import { Injectable, Logger } from '@nestjs/common';
import { FreeTools } from './free-tools';
import { PaidTools } from './paid-tools';
import { instrumentIn } from './payment-instrument';
import { type Tool, type ToolCall, errorResult } from './tool';

/** The tools of `/mcp`, the paid ones first. */
@Injectable()
export class ToolList {
  readonly declarations: Tool['declaration'][];
  private readonly byName: ReadonlyMap<string, Tool>;
  private readonly paid: ReadonlySet<string>;
  private readonly logger = new Logger('mcp');

  constructor(paid: PaidTools, free: FreeTools) {
    const all = [...paid.all, ...free.all];
    this.declarations = all.map(({ declaration }) => declaration);
    this.byName = new Map(all.map((tool) => [tool.declaration.name, tool]));
    this.paid = new Set(paid.all.map(({ declaration }) => declaration.name));
  }

  isPaid(name: unknown): boolean {
    return this.paid.has(name as string);
  }

  /** @throws ProtocolError when there is no such tool; every other failure is a result that says so */
  async call(name: string, call: ToolCall): Promise<CallToolResult> {
    const tool = this.byName.get(name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}`);
    try {
      return await tool.call(call);
    } catch (error) {
      const known = error instanceof DomainError ? error : undefined;
      const { requestId } = call.context;
      if (!known) this.logger.error({ message: 'a tool call failed', tool: name, requestId, error });
      return errorResult(known, { mayBeCharged: this.isPaid(name) && instrumentIn(call) !== null });
    }
  }
}
