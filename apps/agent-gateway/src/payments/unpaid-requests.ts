import type { IncomingMessage } from 'node:http';
import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { AddressLimits } from '../limits/caller-limits';
import { Challenges } from '../offers/challenges';
import { isUnpaid } from './decode-payment';
import type { EarlyAnswer } from './early-answers';
import { RequestBodies } from './paid-requests';

const ENDPOINTS = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint.path, endpoint]));
const WHOLE_NUMBER = /^\d{1,9}$/;
/** Of a request with one of these the framework decides. */
const UNUSUAL = ['content-encoding', 'transfer-encoding', 'expect', 'upgrade'] as const;

/**
 * The 402 of a plain POST without a payment, before the framework: most requests are these, and their senders pay nothing. With hooks, CORS and
 * reply of the framework it takes 0.10 ms of processor, here 0.06. Every other request, and one over a limit, goes on; its answer is the same.
 */
@Injectable()
export class UnpaidRequests {
  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly challenges: Challenges,
    private readonly bodies: RequestBodies,
    private readonly addresses: AddressLimits,
  ) {}

  /** @returns null when the framework is to answer */
  answer(request: IncomingMessage): Promise<EarlyAnswer | null> | null {
    const endpoint = request.method === 'POST' && ENDPOINTS.get(request.url!);
    return endpoint && this.isPlain(request) ? this.offer(endpoint, request) : null;
  }

  private isPlain({ headers }: IncomingMessage): boolean {
    const { accept, 'content-length': length = '' } = headers;
    if (!WHOLE_NUMBER.test(length) || Number(length) > this.config.MAX_BODY_BYTES) return false;
    if (UNUSUAL.some((name) => headers[name] !== undefined)) return false;
    return isUnpaid(headers) && !accept?.includes('problem');
  }

  private async offer(endpoint: PaidEndpoint, request: IncomingMessage): Promise<EarlyAnswer | null> {
    const { unpaid } = this.addresses;
    const status = await unpaid.take(this.addresses.callerOf(request));
    // A refused call is not counted: the framework refuses it again.
    if (!status.allowed) return null;
    const preflight = this.bodies.preflight(endpoint, request.headers, await bodyOf(request));
    const { header, body } = this.challenges.unpaid(endpoint, preflight);
    const headers = [
      'payment-required',
      header,
      'content-type',
      'application/json; charset=utf-8',
      ...Object.entries(unpaid.headers(status)).flat(),
    ];
    return { route: endpoint.path, status: 402, headers, body };
  }
}

/** A sender that goes away before the end gets no answer: the promise stays open, and is forgotten with the connection. */
function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  return new Promise((resolve) => {
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts)));
  });
}
