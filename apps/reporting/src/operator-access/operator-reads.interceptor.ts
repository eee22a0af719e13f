import { Clock, uuidv7 } from '@evenkeel/kernel';
import { clientAddress, networkOf, ServiceUnavailable } from '@evenkeel/platform/http';
import { type CallHandler, type ExecutionContext, Injectable, Logger, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { DataSource } from 'typeorm';
import { ReportingConfig } from '../reporting.config';

interface OperatorRead {
  path: string;
  query: unknown;
  requestId: string;
  /** Network of the caller: /24 or /48. */
  network: string;
  /** False for a wrong token. */
  allowed: boolean;
}

/** The log of what operators have read and of wrong tokens: the table refuses changes, and to erase within 90 days. */
@Injectable()
export class OperatorReads {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  async add({ path, query, requestId, network, allowed }: OperatorRead): Promise<void> {
    const now = this.clock.now();
    await this.dataSource.query(
      `INSERT INTO operator_reads (id, occurred_at, path, query, request_id, network, allowed)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [uuidv7(now), now, path, JSON.stringify(query), requestId, network, allowed],
    );
  }
}

/** Logs a read in the table before it is answered: a read that cannot be logged is refused. */
@Injectable()
export class OperatorReadsInterceptor implements NestInterceptor {
  constructor(
    private readonly reads: OperatorReads,
    private readonly config: ReportingConfig,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    try {
      await this.reads.add({ ...readOf(request, this.config), allowed: true });
    } catch (error) {
      new Logger('operator-reads').warn({ message: 'a read could not be written down, and was refused', error });
      throw new ServiceUnavailable();
    }
    return next.handle();
  }
}

export function readOf(
  { routeOptions, query, id, raw }: FastifyRequest,
  { TRUSTED_PROXY_HOPS }: ReportingConfig,
): Omit<OperatorRead, 'allowed'> {
  const network = networkOf(clientAddress(raw, TRUSTED_PROXY_HOPS));
  return { path: routeOptions.url ?? '', query, requestId: id, network };
}
