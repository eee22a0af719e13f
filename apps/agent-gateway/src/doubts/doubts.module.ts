import { Module } from '@nestjs/common';
import { AgentGatewayConfig } from '../agent-gateway.config';
import { Chain } from '../chain/chain.port';
import { RpcChain } from '../chain/rpc-chain';
import { FacilitatorModule } from '../facilitator/facilitator.module';
import { LedgerModule } from '../ledger/ledger.module';
import { PaymentsModule } from '../payments/payments.module';
import { DoubtsWorker } from './doubts.worker';
import { ResolveDoubt } from './resolve-doubt';

const chain = {
  provide: Chain,
  inject: [AgentGatewayConfig],
  useFactory: ({ rpcUrl }: AgentGatewayConfig) => rpcUrl && new RpcChain(rpcUrl),
};

@Module({ imports: [LedgerModule, FacilitatorModule, PaymentsModule], providers: [DoubtsWorker, ResolveDoubt, chain] })
export class DoubtsModule {}
