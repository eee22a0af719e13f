import type { CallToolResult } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { FindPaymentStatus } from '../payments/find-payment-status';
import { READS_ONLY, type Tool, type ToolCall } from './tool';
import { objectResult } from './tool-results';

/** "Was I charged?" */
@Injectable()
export class PaymentStatusTool implements Tool {
  readonly declaration: Tool['declaration'] = {
    name: 'payment_status',
    title: 'Payment status',
    description:
      'Free. Whether the payment with this authorization nonce was charged, its transaction, until when the identical call ' +
      'gets its answer again, and whether to repeat it.',
    inputSchema: {
      type: 'object',
      properties: {
        nonce: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$', description: 'Nonce of the signed authorization.' },
        payer: { type: 'string', description: 'Its wallet, should several have used the nonce.' },
      },
      required: ['nonce'],
      additionalProperties: false,
    },
    annotations: { title: 'Payment status', ...READS_ONLY },
  };

  constructor(private readonly findPaymentStatus: FindPaymentStatus) {}

  async call({ arguments: { nonce, payer } = {} }: ToolCall): Promise<CallToolResult> {
    return objectResult(await this.findPaymentStatus.execute(nonce, payer));
  }
}
