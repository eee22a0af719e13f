import { ArrayMaxSize, ArrayMinSize, Equals, IsArray, IsInt, IsObject, IsString, Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { MoneyAmount } from '../agent/habit-results';
import { AgentErrorBody } from '../errors/error-body';
import { Nested } from '../schema/field.decorators';

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
