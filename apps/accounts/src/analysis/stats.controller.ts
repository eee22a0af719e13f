import { LIMITED_IN_WORDS } from '@evenkeel/contracts';
import { CurrentUser, NeedsDatabase, SignedInOnly, Refuses } from '@evenkeel/platform/auth';
import { UuidParam } from '@evenkeel/platform/validation';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Answers, Operation } from '../operation';
import type { AccountUser } from '../users/account-user';
import { MAX_DAYS, ReadStats, TodayView, StatsView } from './read-stats';

const DAY = { type: 'string', format: 'date', ...LIMITED_IN_WORDS };
const DayQuery = (name: string, description: string) => ApiQuery({ name, required: false, schema: DAY, description });

/** Calendars and curves of one habit, and how all of them stand on a day. */
@ApiTags('Analysis')
@NeedsDatabase()
@SignedInOnly(['user'], { 401: '`unauthorized`: no valid access token', 429: '`rate_limited`' })
@Controller('v1/habits')
export class StatsController {
  constructor(private readonly reading: ReadStats) {}

  @Get('today')
  @Operation(
    'What is due, done, excused or open today',
    'All active habits in one answer, with their streaks. On every plan, not metered.',
  )
  @DayQuery('date', 'another day, from 2000-01-01 to tomorrow, as it is seen from today')
  @Answers(200, 'The day', { type: TodayView })
  @Refuses({ 400: '`validation_failed`' })
  showToday(@CurrentUser() user: AccountUser, @Query('date') date: unknown): Promise<TodayView> {
    return this.reading.today(user, date);
  }

  @Get(':habitId/stats')
  @Operation(
    'What became of each day of a habit',
    `A year unless asked otherwise, at most ${MAX_DAYS} days. On every plan, not metered.`,
  )
  @ApiParam({ name: 'habitId', description: 'id of a habit', schema: { type: 'string', format: 'uuid' } })
  @DayQuery('from', `first day shown, from 2000-01-01, at most ${MAX_DAYS} days before \`to\``)
  @DayQuery('to', 'last day shown, at most tomorrow; today unless given')
  @Answers(200, 'Days, weeks, rates and streaks', { type: StatsView })
  @Refuses({ 400: '`validation_failed`', 404: '`not_found`: it is missing, or not the caller’s' })
  habitStats(
    @CurrentUser() user: AccountUser,
    @UuidParam('habitId') id: string,
    @Query('from') from: unknown,
    @Query('to') to: unknown,
  ): Promise<StatsView> {
    return this.reading.execute(user, id, { from, to });
  }
}
