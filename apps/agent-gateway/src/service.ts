import { HTTP_CONVENTIONS } from '@evenkeel/contracts';
import { useful, type Service } from '@evenkeel/platform/service';
import { AppModule } from './app.module';
import type { AgentGatewayConfig } from './config/agent-gateway.config';
import { CORE } from './core';
import { Facilitator } from './facilitator/facilitator';
import { answerEarly } from './payments/early-answers';
import { UnpaidRequests } from './payments/unpaid-requests';
import { LimitsModule } from './limits/limits.module';
import { probes } from './operations/probes';
import { WorkerModule } from './worker.module';

export const AGENT_GATEWAY: Service<AgentGatewayConfig> = {
  ...CORE,
  http: {
    ...HTTP_CONVENTIONS,
    // For agents and crawlers: no data of people is here.
    isOpenToAllOrigins: true,
    takeEarly: (app, context) => {
      const unpaid = app.get(UnpaidRequests, { strict: false });
      return answerEarly((request) => unpaid.answer(request), context);
    },
    // Each paid call ends its own waits, and says what became of the money.
    answerWithinMs: Infinity,
  },
  app: AppModule,
  appModules: (config) => [LimitsModule.forRoot(config)],
  worker: WorkerModule,
  probes,
  // While it does not answer, free answers and repeats of paid ones go on.
  readiness: (app) => {
    const facilitator = app.get(Facilitator, { strict: false });
    return async () => ({ facilitator: useful(facilitator.isAnswering()) });
  },
};
