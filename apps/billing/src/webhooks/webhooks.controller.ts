import { Refuses } from '@evenkeel/platform/auth';
import { MaxBodyBytes } from '@evenkeel/platform/http';
import { Controller, HttpCode, Module, Param, Post, Req } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ReceiveWebhook } from './receive-webhook';
import { TakeEventModule, type Taken } from './take-event';
import { WebhookCounts } from './webhook-counts';

const MAX_BYTES = 1_048_576;

const REASONS: readonly NonNullable<Taken['reason']>[] = [
  ...(['duplicate_event', 'ignored_event_type', 'stale_event', 'unmatched_customer', 'test_mode_mismatch'] as const),
];

export class WebhookView {
  @ApiProperty({ description: 'always true: the event need not be sent again' }) readonly received!: boolean;
  @ApiProperty({ description: 'whether it says something new' }) readonly applied!: boolean;
  @ApiProperty({ type: String, nullable: true, enum: REASONS, description: 'null when it is applied' })
  readonly reason!: Taken['reason'];
}

@ApiTags('Billing')
@Controller('v1/billing/webhook')
export class WebhooksController {
  constructor(private readonly receive: ReceiveWebhook) {}

  @Post(':provider')
  @HttpCode(200)
  @MaxBodyBytes(MAX_BYTES)
  @ApiOperation({
    operationId: 'receiveBillingEvent',
    summary: 'Events of the payment provider',
    description:
      'For the provider alone: the signature over the bytes of the body replaces a token. An event is applied once, however often it comes.',
    security: [{ webhookSignature: [] }],
  })
  @ApiParam({ name: 'provider', schema: { type: 'string', enum: ['stripe'] } })
  @ApiHeader({ name: 'Stripe-Signature', required: true, schema: { type: 'string' } })
  @ApiConsumes('*/*')
  @ApiBody({ description: 'the event, of any content type', schema: { type: 'object' } })
  @ApiOkResponse({ type: WebhookView, description: 'What was done with it' })
  @Refuses({
    400: '`invalid_signature`: no such provider, or signature; `malformed_json`: no JSON object',
    413: '`payload_too_large`: more than 1 MiB',
    501: '`provider_not_configured`: no secret is set for it',
    503: '`service_unavailable`: nothing was stored, send it again',
  })
  async take(@Param('provider') provider: string, @Req() { body, headers }: FastifyRequest): Promise<WebhookView> {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    const taken = await this.receive.execute({ provider, signature: headers['stripe-signature'], body: bytes });
    return { received: true, ...taken };
  }
}

/** Webhooks of the provider. */
@Module({
  imports: [TakeEventModule],
  controllers: [WebhooksController],
  providers: [ReceiveWebhook, WebhookCounts],
})
export class WebhooksModule {}
