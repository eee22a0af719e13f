import { LimitedBy } from '@evenkeel/platform/auth';
import { UuidParam } from '@evenkeel/platform/validation';
import { applyDecorators, Controller, Get, Query, Res, type Type } from '@nestjs/common';
import { ApiNoContentResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiParam } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { EntityManager } from 'typeorm';
import { OperatorOnly, OperatorRefusalView } from '../operator-access/operator-only';
import { LEDGER_PROJECTION } from '../projection/project-ledger.consumer';
import { SUBSCRIPTIONS_PROJECTION } from '../projection/subscriptions/project-subscriptions.consumer';
import { ReportingConfig } from '../reporting.config';
import { PARTS, readChanges, RevenueChangesView } from './changes/read-changes';
import { EndpointsView, readEndpoints } from './figures/read-endpoints';
import { readSummary, SummaryView } from './figures/read-summary';
import { readTimeseries, TimeseriesView } from './figures/read-timeseries';
import { CustomersQuery } from './ledger/rank-customers';
import { CohortsView, readCohorts } from './ledger/read-cohorts';
import { CreditsView, readCredits } from './ledger/read-credits';
import { CustomersView, readCustomers } from './ledger/read-customers';
import { readReconciliation, ReconciliationView } from './ledger/read-reconciliation';
import { PaymentAnswerView, readPayment } from './payments/read-payment-history';
import { PaymentsQuery, PaymentsView, readPayments } from './payments/read-payments';
import {
  ChangesQuery,
  CohortsQuery,
  ComparedPeriodQuery,
  FiguresQuery,
  NoQuery,
  PeriodQuery,
  ReconciliationQuery,
  SeriesQuery,
  StatementQuery,
} from './revenue-query';
import { RevenueSnapshot } from './revenue-snapshot';
import { readStatement, StatementView } from './statement/read-statement';
import { readSubscriptions } from './subscriptions/read-subscriptions';
import { SubscriptionsView } from './subscriptions/subscription-figures';

function Read(
  type: Type,
  path: string,
  operationId: string,
  said: { summary: string; description: string },
): MethodDecorator {
  return applyDecorators(Get(path), ApiOperation({ operationId, ...said }), ApiOkResponse({ type }));
}

@OperatorOnly()
@Controller('v1/admin/revenue')
export class RevenueController {
  constructor(
    private readonly snapshot: RevenueSnapshot,
    private readonly config: ReportingConfig,
  ) {}

  @Read(SummaryView, 'summary', 'getRevenueSummary', {
    description: 'Window, current UTC day and all time; money rounded to cents and exact.',
    summary: 'Gross revenue, attributed cost and net margin: window, current UTC day, all time',
  })
  readSummary(@Query() query: FiguresQuery): Promise<SummaryView> {
    return this.snapshot.read((tx, now) => readSummary(this.config)(tx, now, query));
  }

  @Read(EndpointsView, 'endpoints', 'getRevenueByEndpoint', {
    description: 'Every endpoint for sale, in the order of the price list.',
    summary: 'Revenue by endpoint, those without traffic included',
  })
  readEndpoints(@Query() query: FiguresQuery): Promise<EndpointsView> {
    return this.snapshot.read((tx, now) => readEndpoints(tx, now, query));
  }

  @Read(TimeseriesView, 'timeseries', 'getRevenueTimeseries', {
    description: 'Oldest first; the sums are those of the summary.',
    summary: 'One zero-filled point per UTC day, or per hour, week or month',
  })
  readTimeseries(@Query() query: SeriesQuery): Promise<TimeseriesView> {
    return this.snapshot.read((tx, now) => readTimeseries(tx, now, query));
  }

  @Read(RevenueChangesView, 'changes', 'getRevenueChanges', {
    description: 'Cheap: pages ask it every few seconds and read again what changed. It has a limit of its own.',
    summary: 'What may have changed since an earlier answer; 204 when nothing has',
  })
  @LimitedBy('changes')
  @ApiNoContentResponse({ description: 'nothing; as_of and lag_seconds are in the headers X-As-Of and X-Lag-Seconds' })
  async readChanges(
    @Query() { since }: ChangesQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RevenueChangesView | undefined> {
    const read = async (tx: EntityManager, now: Date) => ({ changes: await readChanges(tx, now, since) });
    const { changes, ...stamp } = await this.snapshot.read(read, Object.values(PARTS));
    void reply.headers({ 'x-as-of': stamp.as_of, 'x-lag-seconds': String(stamp.lag_seconds) });
    if (changes !== null) return { ...changes, ...stamp };
    void reply.status(204);
    return undefined;
  }

  @Read(PaymentsView, 'payments', 'listPayments', {
    description: 'Open and failed ones too, with their status; only settled ones are revenue.',
    summary: 'Verified payments, newest first',
  })
  readPayments(@Query() query: PaymentsQuery): Promise<PaymentsView> {
    return this.snapshot.read((tx, now) => readPayments(tx, now, query));
  }

  @Read(PaymentAnswerView, 'payments/:id', 'getPayment', {
    description: 'Everything that is known of it, and the states it went through.',
    summary: 'One payment with its story',
  })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiNotFoundResponse({ description: '`payment_not_found`', type: OperatorRefusalView })
  readPayment(@UuidParam('id') id: string, @Query() _query: NoQuery): Promise<PaymentAnswerView> {
    return this.snapshot.read((tx) => readPayment(tx, id));
  }

  @Read(CustomersView, 'customers', 'listCustomers', {
    description: 'Ranked by settled spend unless `sort` says otherwise, then by who came first.',
    summary: 'Wallets that pay, the distribution of tiers, rebates and outstanding credits',
  })
  readCustomers(@Query() query: CustomersQuery): Promise<CustomersView> {
    return this.snapshot.read((tx, now) => readCustomers(tx, now, query));
  }

  @Read(ReconciliationView, 'reconciliation', 'getReconciliation', {
    description: 'What a person may have to look at. Reads only: payments are closed with a command of the gateway.',
    summary: 'Payments that are unresolved, settled without a hash, or served and failed',
  })
  readReconciliation(@Query() query: ReconciliationQuery): Promise<ReconciliationView> {
    return this.snapshot.read((tx, now) => readReconciliation(tx, now, query));
  }

  @Read(CohortsView, 'cohorts', 'getCohorts', {
    description: 'From the month of the first payment to the present one.',
    summary: 'Wallets by the month of their first payment, and how many of them still pay',
  })
  readCohorts(@Query() query: CohortsQuery): Promise<CohortsView> {
    return this.snapshot.read((tx, now) => readCohorts(tx, now, query));
  }

  @Read(CreditsView, 'credits', 'getCreditLiability', {
    description: 'Face value of credits that are issued, not redeemed and not expired, day by day.',
    summary: 'The liability of call credits, rolled forward: opening and issued less redeemed and expired is closing',
  })
  readCredits(@Query() query: PeriodQuery): Promise<CreditsView> {
    return this.snapshot.read((tx, now) => readCredits(tx, now, query));
  }

  @Read(SubscriptionsView, 'subscriptions', 'getSubscriptionRevenue', {
    description:
      'Start and movements add up to the end, exactly, for every day and window. No revenue of calls is in it.',
    summary: 'Monthly recurring revenue with its movements, subscribers, plans, standing and invoices',
  })
  readSubscriptions(@Query() query: ComparedPeriodQuery): Promise<SubscriptionsView> {
    return this.snapshot.read((tx, now) => readSubscriptions(tx, now, query), [SUBSCRIPTIONS_PROJECTION]);
  }

  @Read(StatementView, 'statement', 'getStatement', {
    description:
      'By settlement unless `basis` says otherwise: then a month that is over does not change. It adds up by itself, and to ' +
      'payments.csv, credits.csv and invoices.csv of the month.',
    summary: 'One calendar month: calls, credits owed, subscriptions, and what was corrected since',
  })
  readStatement(@Query() query: StatementQuery): Promise<StatementView> {
    const work = (tx: EntityManager, now: Date) => readStatement(tx, now, query);
    return this.snapshot.read(work, [LEDGER_PROJECTION, SUBSCRIPTIONS_PROJECTION]);
  }
}
