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
import { CreateLedger1795885200000 } from './migrations/20261128170000-create-ledger';

export const ENTITIES = [
  PaymentRow,
  PaymentAnswerRow,
  PaymentCheckRow,
  PaymentRequirementsRow,
  CreditRow,
  CreditAnswerRow,
];
export const MIGRATIONS = [CreateLedger1795885200000];

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
