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
import { CorsTerms } from '@evenkeel/platform/http';
import { Controller, HttpCode, Options, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { Deadline } from '../calls/call';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { AddressLimits } from '../limits/caller-limits';
import { MCP_PATH, mcpUrl } from '../offers/accepts';
import { MAX_BATCH, McpOperation } from './mcp-operation';
import { McpServer, ToolList } from './mcp-server';
import { instrumentIn } from './paid-tools';
import type { RequestContext, ToolCall } from './tool';

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const NO_BODY = Buffer.alloc(0);
/** The request headers that the MCP package reads. */
const FORWARDED = ['host', 'origin', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/** MCP over streamable HTTP. Its answers have request id, CORS and limits like every other answer. */
@Controller()
export class McpController {
  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly addresses: AddressLimits,
    private readonly tools: ToolList,
    private readonly server: McpServer,
  ) {}

  /** 200 with one JSON message, 202 for a notification; 400, 403, 413, 415, 429. GET and DELETE are 405: there are no sessions. */
  @Post(MCP_PATH)
  @McpOperation()
  async receive(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const context: RequestContext = {
      headers: request.headers,
      caller: this.addresses.callerOf(request.raw),
      requestId: request.id,
      deadline: new Deadline(this.config.PAID_ANSWER_BUDGET_MS),
      reached: 0,
      answerHeaders: {},
    };
    const forwarded = this.forwarded(request);
    const response = foreignRefusal(forwarded, this.config) ?? (await this.answer(forwarded, request, context));
    await send(reply.headers(context.answerHeaders), response);
  }

  /** 204 to a page that may call, 403 to any other, as its call would be answered. */
  @Options(MCP_PATH)
  @CorsTerms({ preflightContinue: true })
  @HttpCode(204)
  @ApiExcludeEndpoint()
  async preflight(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const refusal = foreignRefusal(this.forwarded(request), this.config);
    if (refusal) await send(reply, refusal);
    else void reply.send();
  }

  private forwarded({ headers }: FastifyRequest): Request {
    return new Request(mcpUrl(this.config), { method: 'POST', headers: headersOf(headers) });
  }

  private async answer(forwarded: Request, request: FastifyRequest, context: RequestContext): Promise<Response> {
    const { headers, body } = request;
    let sent: Message | Message[];
    try {
      sent = readMessages(headers, (body as Buffer | undefined) ?? NO_BODY, this.config.MAX_BODY_BYTES);
    } catch (error) {
      await this.countFree(context, 1);
      if (!(error instanceof MalformedMessage)) throw error;
      return error.response;
    }
    const messages = [sent].flat();
    // A payment or a credit may have paid for its call in an earlier request.
    const paying = ({ params }: Message) => instrumentIn({ meta: params?._meta ?? {}, context }) !== null;
    // Paid tools have other limits: of addresses that do not pay, and of wallets.
    const paidCalls = messages.filter((message) => this.isPaidCall(message));
    if (paidCalls.some(paying)) request.aboutFailure = { mayBeCharged: true };
    await this.countFree(context, messages.length - paidCalls.length);
    const response = await this.server.answer(forwarded, sent, context);
    // The package answers some calls of paid tools itself: without an id, or of another form.
    await this.countFree(context, paidCalls.length - context.reached);
    return response;
  }

  /** Beside a call that came to its tool the answer goes out over the limit, too: it may have been paid for. */
  private async countFree(context: RequestContext, messages: number): Promise<void> {
    const { free } = this.addresses;
    for (let left = messages; left > 0; left--) {
      const status = await free.take(context.caller);
      if (!status.allowed && context.reached === 0) throw free.refusal(status);
      Object.assign(context.answerHeaders, free.headers(status));
    }
  }

  private isPaidCall({ method, params }: Message): boolean {
    return method === 'tools/call' && this.tools.isPaid(params?.name);
  }
}

async function send(reply: FastifyReply, response: Response): Promise<void> {
  const type = response.headers.get('content-type');
  void reply.code(response.status);
  if (type !== null) void reply.type(type);
  void reply.send(await response.text());
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
 * @returns the 403, or undefined for a request that may pass
 */
function foreignRefusal(
  request: Request,
  { baseUrl, corsOrigins, mcpHosts, mcpOrigins }: AgentGatewayConfig,
): Response | undefined {
  const { hostname } = new URL(baseUrl);
  const refusal = hostHeaderValidationResponse(request, [hostname, ...mcpHosts, ...localhostAllowedHostnames()]);
  if (refusal || [...corsOrigins, ...mcpOrigins].includes(request.headers.get('origin') ?? '')) return refusal;
  // Names of hosts: any scheme and port of theirs.
  return originValidationResponse(request, [hostname, ...localhostAllowedOrigins()]);
}

/** A body that is not a JSON-RPC message, as an error of that protocol. */
class MalformedMessage extends Error {
  readonly response: Response;

  constructor(code: number, message: string, data?: object) {
    super(message);
    this.response = Response.json({ jsonrpc: '2.0', id: null, error: { code, message, data } }, { status: 400 });
  }
}

interface Message {
  id?: unknown;
  method?: unknown;
  params?: { name?: unknown; _meta?: ToolCall['meta'] | null };
}

/**
 * The message of a body, or the several of a batch, guarded like every other JSON body.
 * @throws MalformedMessage, PayloadTooLarge, UnsupportedMediaType
 */
function readMessages(headers: IncomingHttpHeaders, bytes: Buffer, maxBytes: number): Message | Message[] {
  const inflated = inflateBody(bytes, headers['content-encoding'], maxBytes);
  assertJsonContentType(headers['content-type']);
  const sent = parsed(inflated);
  if (!Array.isArray(sent)) return messageOf(sent);
  if (sent.length === 0 || sent.length > MAX_BATCH) {
    throw new MalformedMessage(INVALID_REQUEST, `A batch holds 1 to ${MAX_BATCH} messages.`);
  }
  const messages = sent.map(messageOf);
  const ids = messages.flatMap(({ id }) => id ?? []);
  // The package answers one message of each id: a paid call would lose its answer.
  if (new Set(ids).size < ids.length) throw new MalformedMessage(INVALID_REQUEST, 'Two messages have the same id.');
  return messages;
}

function messageOf(value: unknown): Message {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
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
