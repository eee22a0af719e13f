import { ArrayMaxSize, ArrayMinSize, Equals, IsArray, IsInt, IsObject, IsString, Matches, IsIn } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { MoneyAmount } from '../agent/habit-results';
import { AgentErrorBody } from '../errors/error-body';
import { compose, Described, Instant, Nested, Nullable } from '../schema/field.decorators';

/** In every document that repeats a part of what is for sale. */
export function OfferDigest(): PropertyDecorator {
  const said = Described('SHA-256 of everything for sale here; the same in every document');
  return compose(said, IsString(), Matches(/^[0-9a-f]{64}$/));
}

/** 402 of the agent surface: an error and an offer in one. */
@JSONSchema({
  description:
    'The offer, x402 version 1. The header PAYMENT-REQUIRED has the same offer as version 2, base64 of JSON. ' +
    'extensions.preflight is a free verdict on the body that came along.',
})
export class PaymentRequired extends AgentErrorBody {
  @Described('Version of this body') @IsInt() @Equals(1) x402Version!: 1;
  @IsString() scheme!: string;
  @Described('CAIP-2 name of the chain') @IsString() network!: string;
  @IsString() asset!: string;
  @IsString() payTo!: string;
  @Described('Atomic units of the asset') @IsString() @Matches(/^\d+$/) amount!: string;

  @JSONSchema({ type: 'array', items: { type: 'object' }, description: 'Exactly one way to pay' })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1)
  accepts!: Record<string, unknown>[];

  @Nested(() => MoneyAmount) price!: MoneyAmount;
  @OfferDigest() offer_digest!: string;

  @Described('bazaar: example and schema of request and result; preflight: verdict on the body')
  @IsObject()
  extensions!: Record<string, unknown>;
}

const STATES = ['settling', 'settlement_pending', 'needs_reconciliation', 'settled', 'settlement_failed'] as const;
const NEXT_STEPS = ['retry_same', 'pay_again', 'do_not_retry'] as const;

@Described('What became of one payment')
export class PaymentStatus {
  @Described('Of the authorization') @IsString() @Matches(/^0x[0-9a-f]{64}$/) nonce!: string;
  @IsString() payer!: string;
  @Described('Path of the endpoint that was paid for') @IsString() endpoint!: string;
  @Nested(() => MoneyAmount) amount!: MoneyAmount;
  @IsString() @Matches(/^\d+$/) amount_atomic!: string;
  @IsIn(STATES) state!: (typeof STATES)[number];

  @JSONSchema({ type: ['boolean', 'null'], description: 'null while the outcome is open' })
  @Nullable()
  charged!: boolean | null;

  @Described('Hash of the transaction on the chain, where it is known')
  @Nullable()
  @IsString()
  transaction!: string | null;

  @Described('When the identical request stops getting its stored answer; null when there is none')
  @Nullable()
  @Instant()
  answer_available_until!: string | null;

  @Described('What helps now: the identical request, a new payment, or nothing')
  @IsIn(NEXT_STEPS)
  retry!: (typeof NEXT_STEPS)[number];
}
