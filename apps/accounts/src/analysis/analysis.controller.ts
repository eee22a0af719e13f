import { ErrorBody } from '@evenkeel/contracts';
import { CurrentUser, NeedsDatabase, SignedInOnly, Refuses } from '@evenkeel/platform/auth';
import { decideAnswer } from '@evenkeel/platform/http';
import { JsonBody, StrictValidationPipe } from '@evenkeel/platform/validation';
import type { FastifyReply } from 'fastify';
import { Controller, Post, Res, Module } from '@nestjs/common';
import { ApiBody, ApiResponse, ApiTags } from '@nestjs/swagger';
import { quotaHeaders } from '../entitlements/plan-refusals';
import { Answers, Operation } from '../operation';
import type { AccountUser } from '../users/account-user';
import { AnalysisBody, InsightsBody } from './analysis.dto';
import { AnalysisView } from './analysis.view';
import { Analyze } from './analyze';
import { InsightsView, ListInsights } from './insights';
import { PlanView, RecommendationsView, Recommend } from './recommend';
import { ReadQuestion } from './read-question';
import { ReadStats } from './read-stats';
import { StatsController } from './stats.controller';

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
    'Uses one analysis of the UTC month, if and only if the answer is a 200.',
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
