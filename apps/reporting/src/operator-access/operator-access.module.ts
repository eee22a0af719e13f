import { Global, Module } from '@nestjs/common';
import { ReportingConfig } from '../reporting.config';
import { OperatorGuesses } from './operator-guesses';
import { OperatorReads, OperatorReadsInterceptor } from './operator-reads.interceptor';
import { OperatorConfiguredGuard, OperatorToken, OperatorTokenGuard } from './operator-only';

const token = {
  provide: OperatorToken,
  inject: [ReportingConfig],
  useFactory: ({ ADMIN_TOKEN }: ReportingConfig) => new OperatorToken(ADMIN_TOKEN),
};
const providers = [
  token,
  OperatorReads,
  OperatorReadsInterceptor,
  OperatorGuesses,
  OperatorConfiguredGuard,
  OperatorTokenGuard,
];

/** The token of operators, and the log of their reads. */
@Global()
@Module({ providers, exports: providers })
export class OperatorAccessModule {}
