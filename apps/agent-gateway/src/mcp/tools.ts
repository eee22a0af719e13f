import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { DomainError } from '@evenkeel/kernel';
import { ProtocolError, ProtocolErrorCode, type CallToolResult } from '@modelcontextprotocol/server';
import { Injectable, Logger } from '@nestjs/common';
import { AnswerCall } from '../agent-surface/answer-call';
import { RequestBodies } from '../agent-surface/request-bodies';
import { PaymentTerms } from '../challenges/payment-terms';
import { AddressLimits } from '../limits/address-limits';
import { Offers } from '../offers/offers';
import { FreeTools } from './free-tools';
import { PaidTool } from './paid-tool';
import type { Tool, ToolCall } from './tool';
import { ToolOffers } from './tool-offers';
import { errorResult } from './tool-results';

/** The tools of `/mcp`: the paid ones first, in the order of the price list. */
@Injectable()
export class Tools {
  readonly declarations: Tool['declaration'][];
  private readonly byName: ReadonlyMap<string, Tool>;
  private readonly paid: ReadonlySet<string>;
  private readonly log = new Logger('mcp');

  constructor(
    terms: PaymentTerms,
    { digest: offerDigest }: Offers,
    offers: ToolOffers,
    bodies: RequestBodies,
    addresses: AddressLimits,
    answerCall: AnswerCall,
    free: FreeTools,
  ) {
    const parts = { terms, offerDigest, offers, bodies, addresses, answerCall };
    const paid = PAID_ENDPOINTS.map((endpoint) => new PaidTool(endpoint, parts));
    const all: Tool[] = [...paid, ...free.all];
    this.declarations = all.map(({ declaration }) => declaration);
    this.byName = new Map(all.map((tool) => [tool.declaration.name, tool]));
    this.paid = new Set(paid.map(({ declaration }) => declaration.name));
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
      if (!known) this.log.error({ err: error, requestId: call.visit.requestId }, 'tool call failed');
      return errorResult(known);
    }
  }
}
