import {
  assertJsonContentType,
  inflateBody,
  MalformedJson,
  parseJson,
  ValidationFailed,
} from '@evenkeel/platform/validation';
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { Deadline } from '../calls/deadline';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { AddressLimits } from '../limits/caller-limits';
import { MCP_PATH, mcpUrl } from '../offers/accepts';
import { McpOperation } from './mcp-operation';
import { McpServer } from './mcp-server';
import type { RequestContext } from './tool';
import { Tools } from './tools';

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const NO_BODY = Buffer.alloc(0);
/** The request headers that the MCP package reads. */
const FORWARDED = ['host', 'origin', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/** MCP over streamable HTTP. Its answers have request id, CORS and limits like every other answer. */
@Controller()
export class McpController {
  private readonly url: string;
  private readonly hostAndOrigin: HostAndOriginCheck;

  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly addresses: AddressLimits,
    private readonly tools: Tools,
    private readonly server: McpServer,
  ) {
    this.url = mcpUrl(config);
    this.hostAndOrigin = new HostAndOriginCheck(config);
  }

  /** 200 with one JSON message, 202 for a notification; 400, 403, 413, 415, 429. GET and DELETE are 405: there are no sessions. */
  @Post(MCP_PATH)
  @McpOperation()
  async receive(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const context: RequestContext = {
      headers: request.headers,
      caller: this.addresses.callerOf(request.raw),
      requestId: request.id,
      deadline: new Deadline(this.config.PAID_ANSWER_BUDGET_MS - reply.elapsedTime),
      answerHeaders: {},
    };
    const forwarded = new Request(this.url, { method: 'POST', headers: headersOf(request.headers) });
    const response = this.hostAndOrigin.refusal(forwarded) ?? (await this.answer(forwarded, request, context));
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

  /** Not for paid tools, which have other limits: of addresses that do not pay, and of wallets. */
  private async countFree({ method, params }: Message, { caller, answerHeaders }: RequestContext): Promise<void> {
    if (method === 'tools/call' && this.tools.isPaid(params?.name)) return;
    const { free } = this.addresses;
    const status = await free.take(caller);
    if (!status.allowed) throw free.refusal(status);
    Object.assign(answerHeaders, free.headers(status));
  }
}

function headersOf(headers: IncomingHttpHeaders): Headers {
  // We answer with JSON in any case: a caller that accepts less than the protocol requires is served all the same.
  const forwarded = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
  for (const name of FORWARDED) {
    const value = headers[name];
    if (typeof value === 'string') forwarded.set(name, value);
  }
  return forwarded;
}

/**
 * Refuses requests for a host name, or from a web page, that is not ours: otherwise a page in a browser could talk to a server
 * on its reader's own machine. Programs send no `Origin` and pass.
 */
class HostAndOriginCheck {
  private readonly hosts: string[];
  private readonly origins: string[];

  constructor({ baseUrl, corsOrigins, mcpHosts }: AgentGatewayConfig) {
    const { hostname } = new URL(baseUrl);
    this.hosts = [hostname, ...mcpHosts, ...localhostAllowedHostnames()];
    const listed = corsOrigins.filter((origin) => URL.canParse(origin)).map((origin) => new URL(origin).hostname);
    this.origins = [hostname, ...listed, ...localhostAllowedOrigins()];
  }

  /** 403, or undefined for a request that may pass. */
  refusal(request: Request): Response | undefined {
    return hostHeaderValidationResponse(request, this.hosts) ?? originValidationResponse(request, this.origins);
  }
}

/** A body that is not a JSON-RPC message, as an error of that protocol. */
class MalformedMessage extends Error {
  constructor(
    private readonly code: number,
    message: string,
    private readonly data?: object,
  ) {
    super(message);
  }

  get response(): Response {
    const { code, message, data } = this;
    return Response.json({ jsonrpc: '2.0', id: null, error: { code, message, data } }, { status: 400 });
  }
}

interface Message {
  method?: unknown;
  params?: { name?: unknown };
}

/**
 * The one message of a body, guarded like every other JSON body.
 * @throws MalformedMessage, PayloadTooLarge, UnsupportedMediaType
 */
function readMessage(headers: IncomingHttpHeaders, bytes: Buffer, maxBytes: number): Message {
  const inflated = inflateBody(bytes, headers['content-encoding'], maxBytes);
  assertJsonContentType(headers['content-type']);
  const message = parsed(inflated);
  if (Array.isArray(message)) throw new MalformedMessage(INVALID_REQUEST, 'Send one message with each request.');
  if (typeof message === 'object' && message !== null) return message;
  throw new MalformedMessage(INVALID_REQUEST, 'A message is a JSON object.');
}

function parsed(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (error instanceof MalformedJson) throw new MalformedMessage(PARSE_ERROR, error.message);
    if (!(error instanceof ValidationFailed)) throw error;
    throw new MalformedMessage(INVALID_REQUEST, error.message, error.details);
  }
}
