import { CurrentUser, NeedsDatabase, SignedInOnly, Idempotent, OperationId, Refuses } from '@evenkeel/platform/auth';
import { knownWord, UuidParam, JsonBody } from '@evenkeel/platform/validation';
import type { FastifyReply } from 'fastify';
import { Controller, Delete, Get, HttpCode, Patch, Post, Query, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { AccountUser } from '../users/account-user';
import { ChangeHabit } from './change-habit';
import { CreateHabit } from './create-habit';
import { ChangeHabitBody, CreateHabitBody } from './habit.dto';
import { HabitListView, HabitView } from './habit.view';
import { ReadHabits, HABIT_STATUSES } from './read-habits';
import { AnswersRecord, CONFLICT, IfMatch, RECORD_HEADERS, TakesIfMatch } from './record-version';

const HabitIdParam = () =>
  ApiParam({ name: 'habitId', description: 'id of a habit', schema: { type: 'string', format: 'uuid' } });
const NotFoundResponse = () => Refuses({ 404: '`not_found`: no such habit of yours' });
const QuotaResponse = () => Refuses({ 402: '`quota_exceeded`: the plan allows no more active habits' });

@ApiTags('Habits')
@Refuses({ 400: '`validation_failed`, `malformed_json`' })
@NeedsDatabase()
@SignedInOnly(['user'], { 401: '`unauthorized`', 429: '`rate_limited`: too many requests of this person' })
@Controller('v1/habits')
export class HabitsController {
  constructor(
    private readonly creating: CreateHabit,
    private readonly reading: ReadHabits,
    private readonly changing: ChangeHabit,
  ) {}

  @Post()
  @Idempotent({ conflict: CONFLICT })
  @AnswersRecord()
  @ApiOperation({
    operationId: 'createHabit',
    summary: 'Create a habit',
    description: 'Archived habits are not part of the cap of the plan. A repeated `clientId` creates nothing.',
  })
  @ApiBody({ type: CreateHabitBody })
  @ApiCreatedResponse({ type: HabitView, headers: RECORD_HEADERS, description: 'The new habit' })
  @ApiOkResponse({
    type: HabitView,
    headers: RECORD_HEADERS,
    description: 'The habit that this `clientId` created before',
  })
  @QuotaResponse()
  @Refuses({ 404: '`not_found`: the habit of this `clientId` was deleted' })
  async create(
    @CurrentUser() user: AccountUser,
    @JsonBody() body: CreateHabitBody,
    @OperationId() operationId: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HabitView> {
    const { habit, created } = await this.creating.execute(user, body, operationId);
    void reply.status(created ? 201 : 200);
    return habit;
  }

  @Get()
  @ApiOperation({
    operationId: 'listHabits',
    summary: 'Habits, oldest first',
    description: 'Active ones unless asked.',
  })
  @ApiQuery({ name: 'status', required: false, enum: HABIT_STATUSES })
  @ApiOkResponse({ type: HabitListView, description: 'The habits with the numbers of their whole history' })
  async list(@CurrentUser() user: AccountUser, @Query('status') status: unknown): Promise<HabitListView> {
    const habits = await this.reading.all(user, { status: knownWord('status', status, HABIT_STATUSES) });
    return { habits, count: habits.length };
  }

  @Get(':habitId')
  @ApiOperation({ operationId: 'getHabit', summary: 'One habit', description: 'Archived ones too.' })
  @HabitIdParam()
  @AnswersRecord()
  @ApiOkResponse({ type: HabitView, headers: RECORD_HEADERS, description: 'The habit' })
  @NotFoundResponse()
  find(@CurrentUser() user: AccountUser, @UuidParam('habitId') id: string): Promise<HabitView> {
    return this.reading.one(user, id);
  }

  @Patch(':habitId')
  @ApiOperation({
    operationId: 'changeHabit',
    summary: 'Change a habit',
    description: 'null clears what is nullable. The present schedule applies to the whole history.',
  })
  @HabitIdParam()
  @TakesIfMatch()
  @ApiBody({ type: ChangeHabitBody })
  @AnswersRecord()
  @ApiOkResponse({ type: HabitView, headers: RECORD_HEADERS, description: 'The habit as it is now' })
  @NotFoundResponse()
  change(
    @CurrentUser() user: AccountUser,
    @UuidParam('habitId') id: string,
    @JsonBody() body: ChangeHabitBody,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<HabitView> {
    return this.changing.change(user, id, body, ifMatch);
  }

  @Delete(':habitId')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteHabit', summary: 'Delete a habit with its logs', description: 'For good.' })
  @HabitIdParam()
  @TakesIfMatch()
  @ApiNoContentResponse({ description: 'It is gone' })
  @NotFoundResponse()
  async delete(
    @CurrentUser() user: AccountUser,
    @UuidParam('habitId') id: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<void> {
    await this.changing.delete(user, id, ifMatch);
  }

  @Post(':habitId/archive')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'archiveHabit',
    summary: 'Archive a habit',
    description: 'It takes no logs and is not part of the cap. An archived one stays as it is.',
  })
  @HabitIdParam()
  @AnswersRecord()
  @ApiOkResponse({ type: HabitView, headers: RECORD_HEADERS, description: 'The habit as it is now' })
  @NotFoundResponse()
  archive(@CurrentUser() user: AccountUser, @UuidParam('habitId') id: string): Promise<HabitView> {
    return this.changing.archive(user, id);
  }

  @Post(':habitId/unarchive')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'unarchiveHabit',
    summary: 'Make an archived habit active again',
    description: 'Where the cap of the plan allows it. An active one stays as it is.',
  })
  @HabitIdParam()
  @AnswersRecord()
  @ApiOkResponse({ type: HabitView, headers: RECORD_HEADERS, description: 'The habit as it is now' })
  @QuotaResponse()
  @NotFoundResponse()
  unarchive(@CurrentUser() user: AccountUser, @UuidParam('habitId') id: string): Promise<HabitView> {
    return this.changing.unarchive(user, id);
  }
}
