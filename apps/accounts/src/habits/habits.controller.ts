import {
  CurrentUser,
  NeedsDatabase,
  SignedInOnly,
  Idempotent,
  OperationId,
  Refuses,
  IdempotencyModule,
} from '@evenkeel/platform/auth';
import { knownWord, UuidParam, JsonBody } from '@evenkeel/platform/validation';
import type { FastifyReply } from 'fastify';
import { Controller, Delete, Get, Patch, Post, Query, Res, Module } from '@nestjs/common';
import { ApiBody, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Answers, Operation } from '../operation';
import type { AccountUser } from '../users/account-user';
import { ChangeHabit } from './change-habit';
import { CreateHabit } from './create-habit';
import { ChangeHabitBody, CreateHabitBody } from './habit.dto';
import { HabitListView, HabitView } from './habit.view';
import { ReadHabits, HABIT_STATUSES } from './read-habits';
import { AnswersRecord, CONFLICT, IfMatch, TakesIfMatch } from './record-version';

const HabitIdParam = () =>
  ApiParam({ name: 'habitId', description: 'id of a habit', schema: { type: 'string', format: 'uuid' } });
const NotFoundResponse = () => Refuses({ 404: '`not_found`: no such habit of yours' });
const QuotaResponse = () => Refuses({ 402: '`quota_exceeded`: the plan allows no more active habits' });

@ApiTags('Habits')
@Refuses({ 400: '`validation_failed`' })
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
  @Operation(
    'Create a habit',
    'Archived habits are not part of the cap of the plan. A repeated `clientId` creates nothing.',
  )
  @ApiBody({ type: CreateHabitBody })
  @AnswersRecord(HabitView, { 201: 'The new habit', 200: 'The habit that this `clientId` created before' })
  @QuotaResponse()
  @Refuses({ 404: '`not_found`: the habit of this `clientId` was deleted' })
  async createHabit(
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
  @Operation('Habits, oldest first', 'Active ones unless asked.')
  @ApiQuery({ name: 'status', required: false, enum: HABIT_STATUSES })
  @Answers(200, 'The habits with the numbers of their whole history', { type: HabitListView })
  async listHabits(@CurrentUser() user: AccountUser, @Query('status') status: unknown): Promise<HabitListView> {
    const habits = await this.reading.all(user, { status: knownWord('status', status, HABIT_STATUSES) });
    return { habits, count: habits.length };
  }

  @Get(':habitId')
  @Operation('One habit', 'Archived ones too.')
  @HabitIdParam()
  @AnswersRecord(HabitView, { 200: 'The habit' })
  @NotFoundResponse()
  getHabit(@CurrentUser() user: AccountUser, @UuidParam('habitId') id: string): Promise<HabitView> {
    return this.reading.one(user, id);
  }

  @Patch(':habitId')
  @Operation('Change a habit', 'null clears what is nullable. The present schedule applies to the whole history.')
  @HabitIdParam()
  @TakesIfMatch()
  @ApiBody({ type: ChangeHabitBody })
  @AnswersRecord(HabitView, { 200: 'The habit as it is now' })
  @NotFoundResponse()
  changeHabit(
    @CurrentUser() user: AccountUser,
    @UuidParam('habitId') id: string,
    @JsonBody() body: ChangeHabitBody,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<HabitView> {
    return this.changing.change(user, id, body, ifMatch);
  }

  @Delete(':habitId')
  @Operation('Delete a habit with its logs', 'For good.')
  @HabitIdParam()
  @TakesIfMatch()
  @Answers(204, 'It is gone')
  @NotFoundResponse()
  async deleteHabit(
    @CurrentUser() user: AccountUser,
    @UuidParam('habitId') id: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<void> {
    await this.changing.delete(user, id, ifMatch);
  }

  @Post(':habitId/archive')
  @Operation('Archive a habit', 'It takes no logs and is not part of the cap. An archived one stays as it is.')
  @HabitIdParam()
  @AnswersRecord(HabitView, { 200: 'The habit as it is now' })
  @NotFoundResponse()
  archiveHabit(@CurrentUser() user: AccountUser, @UuidParam('habitId') id: string): Promise<HabitView> {
    return this.changing.archive(user, id);
  }

  @Post(':habitId/unarchive')
  @Operation(
    'Make an archived habit active again',
    'Where the cap of the plan allows it. An active one stays as it is.',
  )
  @HabitIdParam()
  @AnswersRecord(HabitView, { 200: 'The habit as it is now' })
  @QuotaResponse()
  @NotFoundResponse()
  unarchiveHabit(@CurrentUser() user: AccountUser, @UuidParam('habitId') id: string): Promise<HabitView> {
    return this.changing.unarchive(user, id);
  }
}

/** Habits of people, under the cap of their plan. */
@Module({
  imports: [IdempotencyModule],
  controllers: [HabitsController],
  providers: [CreateHabit, ReadHabits, ChangeHabit],
  exports: [ReadHabits],
})
export class HabitsModule {}
