import { createHash } from 'node:crypto';
import { Clock, DomainError } from '@evenkeel/kernel';
import { errorAnswer } from '@evenkeel/platform/http';
import { RequestValidator, ValidationFailed } from '@evenkeel/platform/validation';
import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { AccountUser } from '../users/account-user';
import { AddLogs, type AddedLog } from './add-logs';
import { BatchedLogBody } from './log.dto';
import { arrivingLog, type Arrival, type ArrivingLog, LogView } from './stored-log';

export class BatchedLogErrorView {
  @ApiProperty() error!: string;
  @ApiProperty() message!: string;
  @ApiProperty({ required: false, type: Object }) details?: Readonly<Record<string, unknown>>;
}

export class BatchedLogView {
  @ApiProperty({ type: 'integer', description: 'place of the log in the request' }) index!: number;
  @ApiProperty({ enum: ['created', 'existing', 'rejected'] }) status!: 'created' | 'existing' | 'rejected';
  @ApiProperty({ required: false, type: LogView, description: 'unless rejected' }) log?: LogView;
  @ApiProperty({ required: false, type: BatchedLogErrorView, description: 'of a rejected one, as it would be alone' })
  error?: BatchedLogErrorView;
}

const validator = new RequestValidator([BatchedLogBody]);

/** Many logs of one person, from a device that was offline: one transaction, and a result for each. */
@Injectable()
export class LogBatch {
  constructor(
    private readonly clock: Clock,
    private readonly adding: AddLogs,
  ) {}

  /**
   * @param items as they came
   * @param operationId of a request that may come again
   */
  async execute(user: AccountUser, items: readonly unknown[], operationId?: string): Promise<BatchedLogView[]> {
    const now = this.clock.now();
    const read = items.map((item, index) =>
      readItem(item, { rule: user, now, operationId: operationId && idWithin(operationId, index) }),
    );
    const logs = read.filter((one): one is ArrivingLog => !(one instanceof DomainError));
    const added = (await this.adding.execute(user, logs)).values();
    return read.map((one, index) =>
      resultOf(index, one instanceof DomainError ? { status: 'rejected', error: one } : added.next().value!),
    );
  }
}

/** An id for each part of an operation, the same whenever that is begun again. */
function idWithin(operationId: string, index: number): string {
  const digits = createHash('sha256').update(`${operationId} ${index}`).digest('hex');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

function readItem(item: unknown, arrival: Arrival): ArrivingLog | DomainError {
  const verdict = validator.check(item);
  if (!verdict.valid) return new ValidationFailed(verdict.issues);
  const { habitId, ...body } = item as BatchedLogBody;
  try {
    return arrivingLog(body, habitId, arrival);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

function resultOf(index: number, added: AddedLog): BatchedLogView {
  if (added.status !== 'rejected') return { index, status: added.status, log: LogView.of(added.log) };
  return { index, status: 'rejected', error: errorAnswer(added.error).body };
}
