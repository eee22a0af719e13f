import { randomBytes } from 'node:crypto';
import { fromFiles, loadConfig, type Environment } from '@evenkeel/platform/config';
import { coreModule } from '@evenkeel/platform/service';
import type { DynamicModule, Type } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { CORE } from '../core';

class OperatorModule {}

/**
 * A feature for one command, on the settings of the worker. Answers are neither stored nor given, so the keys for that
 * may be missing.
 * @throws InvalidConfig
 */
export function operatorModule(feature: Type, env: Environment): DynamicModule {
  const unusedKey = `unused:${randomBytes(32).toString('base64')}`;
  const given = fromFiles([AgentGatewayConfig], env);
  const config = loadConfig(AgentGatewayConfig, {
    ...given,
    ANSWER_KEYS: given.ANSWER_KEYS || unusedKey,
    RECEIPT_KEYS: given.RECEIPT_KEYS || unusedKey,
  });
  return { module: OperatorModule, imports: [coreModule(CORE, config), feature] };
}
