import { Module } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { Chain } from './chain';

const chain = {
  provide: Chain,
  inject: [AgentGatewayConfig],
  useFactory: ({ rpcUrl }: AgentGatewayConfig) => rpcUrl && new Chain(rpcUrl),
};

/** Null without `X402_RPC_URL`. */
@Module({ providers: [chain], exports: [chain] })
export class ChainModule {}
