import { Global, Module } from '@nestjs/common';
import { OperatorTokenGuard } from './operator-only';
import { OperatorReads, OperatorReadsInterceptor } from './operator-reads.interceptor';

const providers = [OperatorReads, OperatorReadsInterceptor, OperatorTokenGuard];

@Global()
@Module({ providers, exports: providers })
export class OperatorAccessModule {}
