import { Clock, uuidv7 } from '@evenkeel/kernel';
import { redacted } from '@evenkeel/platform/config';
import { clientAddress, networkOf, ServiceUnavailable } from '@evenkeel/platform/http';
import { type CallHandler, type ExecutionContext, Injectable, Logger, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { firstValueFrom, from, timeout, type Observable } from 'rxjs';
import { DataSource } from 'typeorm';
import { ReportingConfig } from '../reporting.config';

/** A database that hangs is not waited for as long as for figures: the read is refused within three seconds. */
const WRITTEN_WITHIN_MS = 2_500;

/** The log of what operators have read and of wrong tokens: the table refuses changes, and to erase within 90 days. */
@Injectable()
export class OperatorReads {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly config: ReportingConfig,
  ) {}

  /**
   * Path and query are stored as they came, without a token that somebody put there; of the caller its network.
   * @param allowed false for a wrong token
   */
  async add({ url, query, id, raw }: FastifyRequest, allowed: boolean): Promise<void> {
    const now = this.clock.now();
    const [path = ''] = url.split('?', 1);
    const network = networkOf(clientAddress(raw, this.config.TRUSTED_PROXY_HOPS));
    const written = this.dataSource.query(
      `INSERT INTO operator_reads (id, occurred_at, path, query, request_id, network, allowed)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [uuidv7(now), now, redacted(path), redacted(JSON.stringify(query)), id, network, allowed],
    );
    await firstValueFrom(from(written).pipe(timeout(WRITTEN_WITHIN_MS)));
  }
}

/** Logs a read in the table before it is answered: a read that cannot be logged is refused. */
@Injectable()
export class OperatorReadsInterceptor implements NestInterceptor {
  constructor(private readonly reads: OperatorReads) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    try {
      await this.reads.add(context.switchToHttp().getRequest<FastifyRequest>(), true);
    } catch (error) {
      new Logger('operator-reads').warn({ message: 'a read could not be written down, and was refused', error });
      throw new ServiceUnavailable();
    }
    return next.handle();
  }
}
