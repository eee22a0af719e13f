export { createIdempotencyKeys, dropIdempotencyKeys, IdempotencyKeys } from './idempotency-keys';
export { IdempotencyModule } from './idempotency.module';
export { Idempotent, OperationId } from './idempotent';
