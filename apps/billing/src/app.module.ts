import { ThrottlingModule, userOf } from '@evenkeel/platform/auth';
import { ProcessCrash } from '@evenkeel/platform/config';
import { type EventTransport, FollowStreamModule, OutboxRelayModule } from '@evenkeel/platform/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import type { BillingConfig } from './billing.config';
import { CheckoutModule } from './checkout/checkout.controller';
import { LeavingModule } from './leaving/end-departures';
import { PEOPLE_PROJECTION, ProjectPeople } from './people/people.consumer';
import { PlansModule } from './plans/plans.controller';
import { ReadsModule } from './reads/reads.module';
import { NightlyReconciliationModule } from './reconciliation/reconciliation.job';
import { RememberRevokedSessions } from './remote-sign-in/revoked-sessions';
import { StateController } from './state/state.controller';
import { SubscriptionsModule } from './subscriptions/subscriptions.module';
import { WebhooksModule } from './webhooks/webhooks.controller';

/** The HTTP half of billing. */
@Module({
  imports: [PlansModule, SubscriptionsModule, WebhooksModule, CheckoutModule],
  controllers: [StateController],
})
export class AppModule {}

/** The background half of billing. */
@Module({})
export class WorkerModule {
  static forRoot(transport: EventTransport): DynamicModule {
    const relay = OutboxRelayModule.forApp({ app: 'billing', transport, crashPoints: ProcessCrash });
    const people = FollowStreamModule.forApp({
      projection: PEOPLE_PROJECTION,
      consumers: [ProjectPeople, new RememberRevokedSessions()],
      transport,
      crashPoints: ProcessCrash,
    });
    const work = [ReadsModule, LeavingModule, NightlyReconciliationModule];
    return { module: WorkerModule, imports: [relay, people, ...work] };
  }
}

/** How often an address or a user may ask. */
export function limitsOf(config: BillingConfig): DynamicModule {
  const { rates } = config;
  return ThrottlingModule.forRoot(config, {
    discovery: { rate: rates.discovery, scope: 'address' },
    user: { rate: rates.user, scope: 'user', callerOf: userOf },
    checkout: { rate: rates.checkout, scope: 'user', callerOf: userOf },
    billing: { rate: rates.billing, scope: 'user', callerOf: userOf },
  });
}
