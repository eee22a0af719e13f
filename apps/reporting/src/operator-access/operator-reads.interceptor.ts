import { clientAddress, networkOf, ServiceUnavailable } from '@evenkeel/platform/http';
import { Injectable, Logger, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { ReportingConfig } from '../reporting.config';
import { OperatorReads } from './operator-reads';

/** Writes a read down before it is answered: what cannot be written down is not shown. */
@Injectable()
export class OperatorReadsInterceptor implements NestInterceptor {
  constructor(
    private readonly reads: OperatorReads,
    private readonly config: ReportingConfig,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { routeOptions, query, id, raw } = context.switchToHttp().getRequest<FastifyRequest>();
    const network = networkOf(clientAddress(raw, this.config.TRUSTED_PROXY_HOPS));
    try {
      await this.reads.add({ path: routeOptions.url ?? '', query, requestId: id, network });
    } catch (error) {
      new Logger('operator-reads').warn({ message: 'a read could not be written down, and was refused', error });
      throw new ServiceUnavailable();
    }
    return next.handle();
  }
}
