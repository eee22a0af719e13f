import { ArrayMaxSize, ArrayMinSize, Equals, IsArray, IsInt, IsObject, IsString, Matches, IsIn } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { MoneyAmount } from '../agent/habit-results';
import { AgentErrorBody } from '../errors/error-body';
import { Nested, Instant, Nullable } from '../schema/field.decorators';

/** 402 of the agent surface: an error and an offer in one. */
@JSONSchema({
  description:
    'The offer, x402 version 1. The header PAYMENT-REQUIRED has the same offer as version 2, base64 of JSON. ' +
    'extensions.preflight is a free verdict on the body that came along.',
})
export class PaymentRequired extends AgentErrorBody {
  @JSONSchema({ description: 'Version of this body' })
  @IsInt()
  @Equals(1)
  x402Version!: 1;

  @IsString() scheme!: string;

  @JSONSchema({ description: 'CAIP-2 name of the chain' })
  @IsString()
  network!: string;

  @IsString() asset!: string;
  @IsString() payTo!: string;

  @JSONSchema({ description: 'Atomic units of the asset' })
  @IsString()
  @Matches(/^\d+$/)
  amount!: string;

  @JSONSchema({ type: 'array', items: { type: 'object' }, description: 'Exactly one way to pay' })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1)
  accepts!: Record<string, unknown>[];

  @Nested(() => MoneyAmount) price!: MoneyAmount;

  @JSONSchema({ description: 'SHA-256 of everything for sale here; the same in every document' })
  @IsString()
  @Matches(/^[0-9a-f]{64}$/)
  offer_digest!: string;

  @JSONSchema({ description: 'bazaar: example and schema of request and result; preflight: verdict on the body' })
  @IsObject()
  extensions!: Record<string, unknown>;
}

const STATES = ['settling', 'settlement_pending', 'needs_reconciliation', 'settled', 'settlement_failed'] as const;
const NEXT_STEPS = ['retry_same', 'pay_again', 'do_not_retry'] as const;

@JSONSchema({ description: 'What became of one payment' })
export class PaymentStatus {
  @JSONSchema({ description: 'Of the authorization' })
  @IsString()
  @Matches(/^0x[0-9a-f]{64}$/)
  nonce!: string;

  @IsString() payer!: string;

  @JSONSchema({ description: 'Path of the endpoint that was paid for' })
  @IsString()
  endpoint!: string;

  @Nested(() => MoneyAmount) amount!: MoneyAmount;

  @IsString()
  @Matches(/^\d+$/)
  amount_atomic!: string;

  @IsIn(STATES) state!: (typeof STATES)[number];

  @JSONSchema({ type: ['boolean', 'null'], description: 'null while the outcome is open' })
  @Nullable()
  charged!: boolean | null;

  @JSONSchema({ description: 'Hash of the transaction on the chain, where it is known' })
  @Nullable()
  @IsString()
  transaction!: string | null;

  @JSONSchema({ description: 'When the identical request stops getting its stored answer; null when there is none' })
  @Nullable()
  @Instant()
  answer_available_until!: string | null;

  @JSONSchema({ description: 'What helps now: the identical request, a new payment, or nothing' })
  @IsIn(NEXT_STEPS)
  retry!: (typeof NEXT_STEPS)[number];
}
