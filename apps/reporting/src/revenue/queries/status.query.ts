import { ApiQuery } from '@nestjs/swagger';
import { PAYMENT_STATUSES, type PaymentStatus } from '../payments/payment-status';
import { knownWord } from './known-word';

/** @throws ValidationFailed */
export function readStatus(text: unknown): PaymentStatus | undefined {
  return knownWord('status', text, PAYMENT_STATUSES);
}

export function StatusQuery(): MethodDecorator {
  return ApiQuery({ name: 'status', required: false, enum: PAYMENT_STATUSES, description: 'only payments with it' });
}
