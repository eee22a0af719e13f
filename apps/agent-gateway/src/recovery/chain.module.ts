import { Module } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { Chain, TransferLog } from './chain.port';
import { RpcChain, RpcTransferLog } from './rpc-chain';

const chain = {
  provide: Chain,
  inject: [AgentGatewayConfig],
  useFactory: ({ rpcUrl }: AgentGatewayConfig) => rpcUrl && new RpcChain(rpcUrl),
};
const transferLog = {
  provide: TransferLog,
  inject: [AgentGatewayConfig],
  useFactory: ({ rpcUrl }: AgentGatewayConfig) => rpcUrl && new RpcTransferLog(rpcUrl),
};

/** Both are null without `X402_RPC_URL`. */
@Module({ providers: [chain, transferLog], exports: [chain, transferLog] })
export class ChainModule {}
