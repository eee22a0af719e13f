import { ErrorBody } from '@evenkeel/contracts';
import { CurrentUser, NeedsDatabase, SignedInOnly, Refuses } from '@evenkeel/platform/auth';
import { decideAnswer } from '@evenkeel/platform/http';
import { JsonBody, StrictValidationPipe } from '@evenkeel/platform/validation';
import type { FastifyReply } from 'fastify';
import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { quotaHeaders } from '../entitlements/plan-refusals';
import type { AccountUser } from '../users/account-user';
import { AnalysisBody, InsightsBody } from './analysis.dto';
import { AnalysisView } from './analysis.view';
import { Analyze } from './analyze';
import { InsightsView, ListInsights } from './insights';
import { PlanView, RecommendationsView, Recommend } from './recommend';

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
  @HttpCode(200)
  @ApiOperation({
    operationId: 'analyzeMyHabits',
    summary: 'Analyze habits from their logs',
    description: 'Uses one analysis of the UTC month, if and only if the answer is a 200.',
  })
  @ApiBody({ type: AnalysisBody, required: false })
  @ApiOkResponse({ type: AnalysisView, description: 'The analysis', headers: QUOTA_HEADERS })
  @ApiResponse({
    status: 402,
    type: ErrorBody,
    description: '`quota_exceeded`: the analyses of the month are used up',
    headers: QUOTA_HEADERS,
  })
  async analyze(
    @CurrentUser() user: AccountUser,
    @Asked() body: AnalysisBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnalysisView> {
    const { answer, usage } = await this.analyzing.execute(user, body, () => decideAnswer(reply));
    reply.headers(quotaHeaders(usage));
    return answer;
  }

  @Post('insights')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'listInsights',
    summary: 'What stood out, newest first',
    description: 'Free: the latest 5 that it may read. Not metered. Habits without news for a day are looked at again.',
  })
  @ApiBody({ type: InsightsBody, required: false })
  @ApiOkResponse({ type: InsightsView, description: 'Insights' })
  insights(@CurrentUser() user: AccountUser, @Asked() body: InsightsBody): Promise<InsightsView> {
    return this.listing.execute(user, body);
  }

  @Post('plan')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'planMyHabits',
    summary: 'Weekly targets on dates from tomorrow',
    description: 'Premium. Not metered.',
  })
  @ApiBody({ type: AnalysisBody, required: false })
  @ApiOkResponse({ type: PlanView, description: 'The plan' })
  @Refuses({ 402: '`premium_required`' })
  plan(@CurrentUser() user: AccountUser, @Asked() body: AnalysisBody): Promise<PlanView> {
    return this.recommending.plan(user, body);
  }

  @Post('recommend')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'recommendForMyHabits',
    summary: 'The next best action of each habit',
    description: 'On every plan. Not metered.',
  })
  @ApiBody({ type: AnalysisBody, required: false })
  @ApiOkResponse({ type: RecommendationsView, description: 'One action of each habit' })
  recommend(@CurrentUser() user: AccountUser, @Asked() body: AnalysisBody): Promise<RecommendationsView> {
    return this.recommending.actions(user, body);
  }
}
