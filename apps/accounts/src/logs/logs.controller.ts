import { Clock } from '@evenkeel/kernel';
import {
  CurrentUser,
  NeedsDatabase,
  SignedInOnly,
  Idempotent,
  OperationId,
  Refuses,
  IdempotencyModule,
} from '@evenkeel/platform/auth';
import {
  badQuery,
  clampedInteger,
  CURSOR_SCHEMA,
  readCursor,
  UuidParam,
  JsonBody,
} from '@evenkeel/platform/validation';
import type { FastifyReply } from 'fastify';
import { Controller, Delete, Get, Patch, Post, Query, Res, Module } from '@nestjs/common';
import { ApiBody, ApiParam, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { existingDay } from '../habits/habit-rules';
import { AnswersRecord, CONFLICT, IfMatch, TakesIfMatch } from '../habits/record-version';
import { Answers, Operation } from '../operation';
import type { AccountUser } from '../users/account-user';
import { HabitsModule } from '../habits/habits.controller';
import { AddLogs } from './add-logs';
import { ChangeLog } from './change-log';
import { ChangeLogBody, LogBody } from './log.dto';
import { logsOf, readLogs } from './read-logs';
import { arrivingLog, LogView } from './stored-log';
import { ReadChanges } from './changes';
import { LogBatch, SyncController } from './sync.controller';

const LIMIT = { minimum: 1, maximum: 200, ifAbsent: 50 };

class LogListView {
  @ApiProperty({ type: [LogView], description: 'newest first' }) logs!: LogView[];
  @ApiProperty({ nullable: true, type: String, description: 'query `cursor` of the next page; null on the last' })
  next_cursor!: string | null;
}

const UUID = { type: 'string', format: 'uuid' };
const LogIdParam = () => ApiParam({ name: 'logId', description: 'id of a log of this habit', schema: UUID });
const DayQuery = (name: string, description: string) =>
  ApiQuery({ name, required: false, description, schema: { type: 'string', format: 'date' } });
const QuotaResponse = () =>
  Refuses({
    402: '`quota_exceeded`: more habits are active than the plan allows, and this one is not among those that take logs',
  });

@ApiTags('Habits')
@Refuses({ 400: '`validation_failed`', 404: '`not_found`: no such habit or log of yours' })
@NeedsDatabase()
@SignedInOnly(['user'], { 401: '`unauthorized`', 429: '`rate_limited`: too many requests of this person' })
@ApiParam({ name: 'habitId', description: 'id of a habit', schema: UUID })
@Controller('v1/habits/:habitId/logs')
export class LogsController {
  constructor(
    private readonly clock: Clock,
    private readonly adding: AddLogs,
    private readonly dataSource: DataSource,
    private readonly changing: ChangeLog,
  ) {}

  @Post()
  @Idempotent({ conflict: CONFLICT })
  @Operation(
    'Log a habit',
    'The local day is decided now, by the profile as it is. An archived habit takes no logs (404). A repeated `clientId` creates nothing.',
  )
  @ApiBody({ type: LogBody })
  @AnswersRecord(LogView, { 201: 'The new log', 200: 'The log that this `clientId` created before' })
  @QuotaResponse()
  async logHabit(
    @CurrentUser() user: AccountUser,
    @UuidParam('habitId') habitId: string,
    @JsonBody() body: LogBody,
    @OperationId() operationId: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LogView> {
    const log = arrivingLog(body, habitId, { rule: user, now: this.clock.now(), operationId });
    const added = (await this.adding.execute(user, [log]))[0]!;
    if (added.status === 'rejected') throw added.error;
    void reply.status(added.status === 'created' ? 201 : 200);
    return LogView.of(added.log);
  }

  @Get()
  @Operation('Logs of a habit, newest first', 'In pages.')
  @DayQuery('from', 'first local date')
  @DayQuery('to', 'last local date')
  @ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', default: LIMIT.ifAbsent },
    description: `${LIMIT.minimum} to ${LIMIT.maximum}; any other is moved into this range`,
  })
  @ApiQuery({ name: 'cursor', required: false, schema: CURSOR_SCHEMA, description: '`next_cursor` of the page before' })
  @Answers(200, 'A page of logs', { type: LogListView })
  listLogs(
    @CurrentUser() { userId }: AccountUser,
    @UuidParam('habitId') habitId: string,
    @Query() query: Record<string, unknown>,
  ): Promise<LogListView> {
    return readLogs(
      this.dataSource,
      { userId, habitId },
      {
        from: dateOf('from', query.from),
        to: dateOf('to', query.to),
        limit: clampedInteger('limit', query.limit, LIMIT),
        after: readCursor(logsOf(habitId), query.cursor),
      },
    );
  }

  @Patch(':logId')
  @Operation(
    'Change a log',
    'null clears what is nullable. A new `occurredAt` is a new arrival: its local day is decided again.',
  )
  @LogIdParam()
  @ApiBody({ type: ChangeLogBody })
  @TakesIfMatch()
  @AnswersRecord(LogView, { 200: 'The log as it is now' })
  @QuotaResponse()
  changeLog(
    @CurrentUser() user: AccountUser,
    @UuidParam('habitId') habitId: string,
    @UuidParam('logId') logId: string,
    @JsonBody() body: ChangeLogBody,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<LogView> {
    return this.changing.change(user, { habitId, logId }, body, ifMatch);
  }

  @Delete(':logId')
  @Operation('Delete a log', 'For good.')
  @LogIdParam()
  @TakesIfMatch()
  @Answers(204, 'It is gone')
  async deleteLog(
    @CurrentUser() user: AccountUser,
    @UuidParam('habitId') habitId: string,
    @UuidParam('logId') logId: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<void> {
    await this.changing.delete(user, { habitId, logId }, ifMatch);
  }
}

/** @throws ValidationFailed */
function dateOf(name: string, text: unknown): string | undefined {
  if (text === undefined) return undefined;
  if (existingDay(text) !== undefined) return text as string;
  throw badQuery(name, 'bad_format', 'must be a date, YYYY-MM-DD');
}

/** Logs of habits. */
@Module({
  imports: [IdempotencyModule, HabitsModule],
  controllers: [LogsController, SyncController],
  providers: [AddLogs, ChangeLog, LogBatch, ReadChanges],
})
export class LogsModule {}
