import { DomainError } from '@evenkeel/kernel';
import {
  createMcpHandler,
  type CallToolResult,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { Injectable, Logger } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { FreeTools } from './free-tools';
import { instrumentIn, PaidTools } from './paid-tools';
import { serverCard } from './server-card';
import { errorResult, type RequestContext, type Tool, type ToolCall } from './tool';

const INSTRUCTIONS =
  'Deterministic scores of habits and recurring tasks: the same input gives the same answer. Paid tools answer an unpaid call ' +
  'with their price and a free verdict on the arguments; repeat the call with the payment in _meta["x402/payment"], or a ' +
  'credit in _meta["evenkeel/credit"]. list_offers, check_input and payment_status are free. Never sign again while an ' +
  'error says retry_same: the identical call is not charged twice.';
const LIST_CACHE = { ttlMs: 300_000, cacheScope: 'public' } as const;

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

/** Serves both versions of MCP without sessions: each message gets a new server with the same tools. */
@Injectable()
export class McpServer {
  private readonly info;

  constructor(
    { baseUrl }: AgentGatewayConfig,
    private readonly tools: ToolList,
  ) {
    const { name, title, version, description, websiteUrl, icons } = serverCard(baseUrl);
    this.info = { name, title, version, description, websiteUrl, icons };
  }

  /** @param message JSON of the body, one message or a batch; the request itself need not have it */
  async answer(request: Request, message: unknown, context: RequestContext): Promise<Response> {
    if (await isLegacyRequest(request, message)) return this.answerLegacy(request, message, context);
    // The tools never change: a subscription to changes is refused at once.
    const { fetch } = createMcpHandler(() => this.serverFor(context), { legacy: 'reject', maxSubscriptions: 0 });
    return fetch(request, { parsedBody: message });
  }

  /** The protocol before 2026-07-28. Answers with plain JSON where the package would open a stream. */
  private async answerLegacy(request: Request, message: unknown, context: RequestContext): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = this.serverFor(context);
    await server.connect(transport);
    try {
      return await transport.handleRequest(request, { parsedBody: message });
    } finally {
      await server.close();
    }
  }

  private serverFor(context: RequestContext): Server {
    const server = new Server(this.info, {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': LIST_CACHE, 'server/discover': LIST_CACHE },
    });
    // A cancelled request gets no answer, and the one that waits in the same batch would wait for it for ever.
    server.removeNotificationHandler('notifications/cancelled');
    server.setRequestHandler('tools/list', () => ({ tools: this.tools.declarations }));
    server.setRequestHandler('tools/call', ({ params: { name, arguments: input, _meta: meta = {} } }) =>
      this.tools.call(name, { arguments: input, meta, context }),
    );
    return server;
  }
}
