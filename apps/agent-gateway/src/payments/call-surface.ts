import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { PaidCalls } from './paid-calls';
import { isUnpaid } from './payment-header';
import { UnpaidCalls } from './unpaid-calls';

/** The POSTs of the five paid endpoints, on the bare connection: this is the path whose cost is measured (docs/adr/0008). */
@Injectable()
export class CallSurface implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly unpaidCalls: UnpaidCalls,
    private readonly paidCalls: PaidCalls,
  ) {}

  onModuleInit(): void {
    const { shortcuts } = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    for (const endpoint of PAID_ENDPOINTS) {
      shortcuts.post(endpoint.path, (rawRequest) => {
        const calls = isUnpaid(rawRequest.request.headers) ? this.unpaidCalls : this.paidCalls;
        rawRequest.readBody((body) => calls.answer(endpoint, rawRequest, body));
      });
    }
  }
}
