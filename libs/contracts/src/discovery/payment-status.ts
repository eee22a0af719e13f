import { IsIn, IsString, Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { MoneyAmount } from '../agent/habit-results';
import { Instant, Nested, Nullable } from '../schema/field.decorators';

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
