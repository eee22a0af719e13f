import { ErrorBody, LIMITED_IN_WORDS } from '@evenkeel/contracts';
import { CurrentUser, NeedsDatabase, SignedInOnly, Refuses } from '@evenkeel/platform/auth';
import { decideAnswer } from '@evenkeel/platform/http';
import { JsonBody, StrictValidationPipe, UuidParam } from '@evenkeel/platform/validation';
import type { FastifyReply } from 'fastify';
import { Controller, Post, Res, Module, Get, Query } from '@nestjs/common';
import { ApiBody, ApiResponse, ApiTags, ApiParam, ApiQuery } from '@nestjs/swagger';
import { quotaHeaders } from '../entitlements/plan-refusals';
import { Answers, Operation } from '../operation';
import type { AccountUser } from '../users/account-user';
import { AnalysisBody, InsightsBody } from './analysis.dto';
import { AnalysisView } from './analysis.view';
import { Analyze } from './analyze';
import { InsightsView, ListInsights } from './insights';
import { ReadQuestion } from './read-question';
import { ReadStats, MAX_DAYS, TodayView, StatsView } from './read-stats';
import { PlanView, RecommendationsView, Recommend } from './recommend';

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

/** Everything may be left out, so a request without a body asks for the same as `{}`. */
const Asked = () => JsonBody(new StrictValidationPipe({ emptyIs: {} }));

const QUOTA_HEADERS = {
  'X-Quota-Limit': { description: 'analyses of the month; absent without a limit', schema: { type: 'integer' } },
  'X-Quota-Used': { description: 'analyses of the month so far', schema: { type: 'integer' } },
  'X-Quota-Remaining': { description: 'analyses left; absent without a limit', schema: { type: 'integer' } },
  'X-Quota-Period': { description: 'the UTC month, YYYY-MM', schema: { type: 'string' } },
} as const;

/** Analysis of a person's logs. */
@ApiTags('Analysis')
@Refuses({
  400: '`validation_failed`, `malformed_json`',
  404: '`not_found`: a habit is missing, or not the caller’s',
  413: '`payload_too_large`',
  415: '`unsupported_media_type`',
})
@NeedsDatabase()
@SignedInOnly(['user', 'analysis'], {
  401: '`unauthorized`: no valid access token',
  429: '`rate_limited`',
})
@Controller('v1/habits')
export class AnalysisController {
  constructor(
    private readonly analyzing: Analyze,
    private readonly listing: ListInsights,
    private readonly recommending: Recommend,
  ) {}

  @Post('analyze')
  @Operation(
    'Analyze habits from their logs',
    'Uses one analysis of the UTC month, if and only if the answer is a 200 with at least one habit.',
  )
  @ApiBody({ type: AnalysisBody, required: false })
  @Answers(200, 'The analysis', { type: AnalysisView, headers: QUOTA_HEADERS })
  @ApiResponse({
    status: 402,
    type: ErrorBody,
    description: '`quota_exceeded`: the analyses of the month are used up',
    headers: QUOTA_HEADERS,
  })
  async analyzeMyHabits(
    @CurrentUser() user: AccountUser,
    @Asked() body: AnalysisBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnalysisView> {
    const { answer, usage } = await this.analyzing.execute(user, body, () => decideAnswer(reply));
    reply.headers(quotaHeaders(usage));
    return answer;
  }

  @Post('insights')
  @Operation(
    'What stood out, newest first',
    'Free: the latest 5 that it may read. Not metered. Habits without news for a day are looked at again.',
  )
  @ApiBody({ type: InsightsBody, required: false })
  @Answers(200, 'Insights', { type: InsightsView })
  listInsights(@CurrentUser() user: AccountUser, @Asked() body: InsightsBody): Promise<InsightsView> {
    return this.listing.execute(user, body);
  }

  @Post('plan')
  @Operation('Weekly targets on dates from tomorrow', 'Premium. Not metered.')
  @ApiBody({ type: AnalysisBody, required: false })
  @Answers(200, 'The plan', { type: PlanView })
  @Refuses({ 402: '`premium_required`' })
  planMyHabits(@CurrentUser() user: AccountUser, @Asked() body: AnalysisBody): Promise<PlanView> {
    return this.recommending.plan(user, body);
  }

  @Post('recommend')
  @Operation('The next best action of each habit', 'On every plan. Not metered.')
  @ApiBody({ type: AnalysisBody, required: false })
  @Answers(200, 'One action of each habit', { type: RecommendationsView })
  recommendForMyHabits(@CurrentUser() user: AccountUser, @Asked() body: AnalysisBody): Promise<RecommendationsView> {
    return this.recommending.actions(user, body);
  }
}

/** Analyses, insights, plans and recommendations from logs. */
@Module({
  controllers: [AnalysisController, StatsController],
  providers: [ReadQuestion, Analyze, ListInsights, Recommend, ReadStats],
})
export class AnalysisModule {}
