import {
  createMcpHandler,
  isLegacyRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { serverCard } from './server-card';
import type { RequestContext } from './tool';
import { ToolList } from './tool-list';

const INSTRUCTIONS =
  'Deterministic scores of habits and recurring tasks: the same input gives the same answer. Paid tools answer an unpaid call ' +
  'with their price and a free verdict on the arguments; repeat the call with the payment in _meta["x402/payment"], or a ' +
  'credit in _meta["evenkeel/credit"]. list_offers, check_input and payment_status are free. Never sign again while an ' +
  'error says retry_same: the identical call is not charged twice.';
const LIST_CACHE = { ttlMs: 300_000, cacheScope: 'public' } as const;

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
    server.setRequestHandler('tools/list', () => ({ tools: this.tools.declarations }));
    server.setRequestHandler('tools/call', ({ params: { name, arguments: input, _meta: meta = {} } }) =>
      this.tools.call(name, { arguments: input, meta, context }),
    );
    return server;
  }
}
