import { ACCOUNTS } from '@evenkeel/accounts';
import { AGENT_GATEWAY } from '@evenkeel/agent-gateway';
import { BILLING } from '@evenkeel/billing';
import type { ServiceConfig } from '@evenkeel/platform/config';
import { REPORTING } from '@evenkeel/reporting';
import type { ClassConstructor } from 'class-transformer';

/** The settings of each service, by its name. */
export const SERVICE_CONFIGS: ReadonlyMap<string, ClassConstructor<ServiceConfig>> = new Map(
  [AGENT_GATEWAY, ACCOUNTS, BILLING, REPORTING].map(({ name, config }) => [name, config]),
);
