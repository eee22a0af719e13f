import { Module } from '@nestjs/common';
import { IdempotencyKeys } from './idempotency-keys';

/** For the modules whose controllers have `@Idempotent()` handlers, and for the worker that erases old keys. */
@Module({ providers: [IdempotencyKeys], exports: [IdempotencyKeys] })
export class IdempotencyModule {}
