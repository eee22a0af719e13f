import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { Deadline } from '../calls/deadline';
import { AddressLimits } from '../limits/address-limits';
import { Door } from './door';
import { McpServer } from './mcp-server';
import { MCP_PATH, mcpUrl } from '../offers/accepts';
import { MalformedMessage, readMessage, type Message } from './read-message';
import { Tools } from './tools';
import type { RequestContext } from './request-context';

const NO_BODY = Buffer.alloc(0);
/** Read by the package, of all that a request may bring. */
const FORWARDED = ['host', 'origin', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/** MCP over streamable HTTP. Its answers go out as every other does: with request id, CORS and limits. */
@Controller()
export class McpController {
  private readonly url: string;

  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly door: Door,
    private readonly addresses: AddressLimits,
    private readonly tools: Tools,
    private readonly server: McpServer,
  ) {
    this.url = mcpUrl(config);
  }

  /** 200 with one JSON message, 202 for a notification; 400, 403, 413, 415, 429. GET and DELETE are 405: there are no sessions. */
  @Post(MCP_PATH)
  async receive(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const context: RequestContext = {
      headers: request.headers,
      caller: this.addresses.callerOf(request.raw),
      requestId: request.id,
      deadline: new Deadline(this.config.PAID_ANSWER_BUDGET_MS - reply.elapsedTime),
      answerHeaders: {},
    };
    const forwarded = new Request(this.url, { method: 'POST', headers: headersOf(request.headers) });
    const response = this.door.refusal(forwarded) ?? (await this.answer(forwarded, request, context));
    const type = response.headers.get('content-type');
    void reply.code(response.status).headers(context.answerHeaders);
    if (type !== null) void reply.type(type);
    void reply.send(await response.text());
  }

  private async answer(
    forwarded: Request,
    { headers, body }: FastifyRequest,
    context: RequestContext,
  ): Promise<Response> {
    let message: Message;
    try {
      message = readMessage(headers, (body as Buffer | undefined) ?? NO_BODY, this.config.MAX_BODY_BYTES);
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      await this.countFree({}, context);
      return error.response;
    }
    await this.countFree(message, context);
    return this.server.answer(forwarded, message, context);
  }

  /** Paid tools have limits of their own: of who does not pay, and of wallets. */
  private async countFree({ method, params }: Message, { caller, answerHeaders }: RequestContext): Promise<void> {
    if (method === 'tools/call' && this.tools.isPaid(params?.name)) return;
    const { free } = this.addresses;
    const standing = await free.take(caller);
    if (!standing.allowed) throw free.refusal(standing);
    Object.assign(answerHeaders, free.headers(standing));
  }
}

function headersOf(headers: IncomingHttpHeaders): Headers {
  // What we answer is decided by us: a caller that accepts less than the protocol asks for is served all the same.
  const forwarded = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
  for (const name of FORWARDED) {
    const value = headers[name];
    if (typeof value === 'string') forwarded.set(name, value);
  }
  return forwarded;
}
