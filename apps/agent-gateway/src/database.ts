import { postgresOptions, SHORT_STATEMENT_MS } from '@evenkeel/platform/persistence';
import type { DataSourceOptions } from 'typeorm';
import type { AgentGatewayConfig } from './config/agent-gateway.config';
import {
  CreditAnswerRow,
  CreditRow,
  PaymentRequirementsRow,
  PaymentAnswerRow,
  PaymentCheckRow,
  PaymentRow,
} from './ledger/ledger.entities';
import { CreatePayments1795251600000 } from './migrations/20261121090000-create-payments';
import { CreateCredits1795273200000 } from './migrations/20261121150000-create-credits';
import { CreateAuditViews1795284000000 } from './migrations/20261121180000-create-audit-views';
import { CreateOperatorActions1795284300000 } from './migrations/20261121180500-create-operator-actions';
import { DeliverOutbox1795291200000 } from './migrations/20261121200000-deliver-outbox';
import { KeepReceipts1795312800000 } from './migrations/20261122020000-keep-receipts';
import { CheckHexWithoutPatterns1795330800000 } from './migrations/20261122070000-check-hex-without-patterns';
import { StampClaims1795341600000 } from './migrations/20261122100000-stamp-claims';
import { RememberChainSearches1795341900000 } from './migrations/20261122100500-remember-chain-searches';
import { KeepAnswersOfCredits1795345200000 } from './migrations/20261122110000-keep-answers-of-credits';
import { TraceEvents1795449600000 } from './migrations/20261123160000-trace-events';
import { CountEachTransferOnce1795873200000 } from './migrations/20261128134000-count-each-transfer-once';

export const ENTITIES = [
  PaymentRow,
  PaymentAnswerRow,
  PaymentCheckRow,
  PaymentRequirementsRow,
  CreditRow,
  CreditAnswerRow,
];
export const MIGRATIONS = [
  CreatePayments1795251600000,
  CreateCredits1795273200000,
  CreateAuditViews1795284000000,
  CreateOperatorActions1795284300000,
  DeliverOutbox1795291200000,
  KeepReceipts1795312800000,
  CheckHexWithoutPatterns1795330800000,
  StampClaims1795341600000,
  RememberChainSearches1795341900000,
  KeepAnswersOfCredits1795345200000,
  TraceEvents1795449600000,
  CountEachTransferOnce1795873200000,
];

type Settings = Pick<AgentGatewayConfig, 'DATABASE_URL'> & Partial<Pick<AgentGatewayConfig, 'DB_POOL_MAX'>>;

export function databaseOptions({ DATABASE_URL, DB_POOL_MAX }: Settings): DataSourceOptions {
  return postgresOptions({
    url: DATABASE_URL,
    poolMax: DB_POOL_MAX,
    statementMs: SHORT_STATEMENT_MS,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    keepPlans: true,
    applicationName: 'agent-gateway',
  });
}
