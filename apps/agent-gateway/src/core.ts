import type { ServiceCore } from '@evenkeel/platform/service';
import { AgentGatewayConfig } from './config/agent-gateway.config';
import { CrashPoints } from './config/crash-points';
import { PaymentTerms } from './config/payment-terms';
import { databaseOptions } from './database';
import { GatewayMetrics } from './metrics/gateway-metrics';
import { Challenges } from './offers/challenges';
import { Offers } from './offers/offers';

/** The core of every feature and of every command of the operator: settings, database, terms of payment, offers. */
export const CORE: ServiceCore<AgentGatewayConfig> = {
  name: 'agent-gateway',
  config: AgentGatewayConfig,
  database: databaseOptions,
  shared: ({ paymentTerms }) => ({
    providers: [{ provide: PaymentTerms, useValue: paymentTerms }, GatewayMetrics, CrashPoints, Offers, Challenges],
  }),
};
