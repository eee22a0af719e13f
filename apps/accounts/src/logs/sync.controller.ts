import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { isJsonObject, ListOf, schemaOf } from '@evenkeel/contracts';
import { CurrentUser, SignedInOnly, Idempotent, NeedsDatabase, OperationId, Refuses } from '@evenkeel/platform/auth';
import { MaxBodyBytes, errorAnswer } from '@evenkeel/platform/http';
import {
  clampedInteger,
  compileValidator,
  CURSOR_SCHEMA,
  expectSafe,
  explain,
  RawJson,
  ValidationFailed,
} from '@evenkeel/platform/validation';
import { Controller, Get, Post, Query, Injectable } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import { createHash } from 'node:crypto';
import { Clock, DomainError } from '@evenkeel/kernel';
import { Answers, Operation } from '../operation';
import type { AccountUser } from '../users/account-user';
import { AddLogs, type AddedLog } from './add-logs';
import { ChangesView, ReadChanges } from './changes';
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

const isLog = compileValidator(schemaOf(BatchedLogBody, { closed: true }));

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
  try {
    expectSafe(item);
    if (!isLog(item)) return new ValidationFailed(explain(BatchedLogBody, item));
    const { habitId, ...body } = item as BatchedLogBody;
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

const LIMIT = { minimum: 1, maximum: 1_000, ifAbsent: 500 };
const MAX_LOGS = 500;
/** 500 logs, each with a note and all tags. */
const BATCH = { maxBytes: 1_048_576, maxNodes: 15_000 };

/** As the document shows it. */
class LogBatchBody {
  @ListOf(() => BatchedLogBody, { minimum: 1, maximum: MAX_LOGS }) logs!: BatchedLogBody[];
}

/** The list alone: what is in it is checked log by log. */
class LogList {
  @IsArray() @ArrayMinSize(1) @ArrayMaxSize(MAX_LOGS) logs!: unknown[];
}

class LogBatchView {
  @ApiProperty({ type: [BatchedLogView], description: 'one for each log, in their order' }) results!: BatchedLogView[];
}

/** For devices that were offline: what they have to tell, and what they have missed. */
@ApiTags('Habits')
@SignedInOnly(['user'], { 401: '`unauthorized`', 429: '`rate_limited`: too many requests of this person' })
@NeedsDatabase()
@Controller('v1/habits')
export class SyncController {
  constructor(
    private readonly batch: LogBatch,
    private readonly changes: ReadChanges,
  ) {}

  @Post('logs/batch')
  @Idempotent()
  @MaxBodyBytes(BATCH.maxBytes)
  @Operation(
    'Log many at once',
    'One transaction. A log that cannot be stored is rejected alone, with the error it would get by itself.',
  )
  @ApiExtraModels(BatchedLogBody)
  @ApiBody({ type: LogBatchBody })
  @Answers(200, 'What became of each', { type: LogBatchView })
  @Refuses({ 400: '`validation_failed`, `malformed_json`: the list itself' })
  async logHabits(
    @CurrentUser() user: AccountUser,
    @RawJson(BATCH) body: unknown,
    @OperationId() operationId: string | undefined,
  ): Promise<LogBatchView> {
    const issues = explain(LogList, body);
    if (issues.length > 0 || !isJsonObject(body)) throw new ValidationFailed(issues);
    return { results: await this.batch.execute(user, body.logs as unknown[], operationId) };
  }

  @Get('changes')
  @Operation(
    'What has changed since last time',
    'In the order of commits. Without a cursor from the beginning. Deletions are known for 400 days.',
  )
  @ApiQuery({ name: 'cursor', required: false, schema: CURSOR_SCHEMA, description: '`next_cursor` of last time' })
  @ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', default: LIMIT.ifAbsent },
    description: `${LIMIT.minimum} to ${LIMIT.maximum}; any other is moved into this range`,
  })
  @Answers(200, 'A page of changes', { type: ChangesView })
  @Refuses({ 400: '`validation_failed`; `cursor_expired`: deletions since then are no longer known' })
  listChanges(@CurrentUser() user: AccountUser, @Query() query: Record<string, unknown>): Promise<ChangesView> {
    return this.changes.execute(user, { cursor: query.cursor, limit: clampedInteger('limit', query.limit, LIMIT) });
  }
}
