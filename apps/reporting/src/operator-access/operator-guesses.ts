import { callerOf, clientAddress } from '@evenkeel/platform/http';
import { RateLimit, RateWindows } from '@evenkeel/platform/auth';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReportingConfig } from '../reporting.config';
import { OperatorReads, readOf } from './operator-reads.interceptor';

/** Wrong tokens: counted by address, and written down as long as they are answered. */
@Injectable()
export class OperatorGuesses {
  private readonly limit: RateLimit;

  constructor(
    windows: RateWindows,
    private readonly reads: OperatorReads,
    private readonly config: ReportingConfig,
  ) {
    const terms = { policy: 'admin_guesses', scope: 'operator', rate: config.rates.adminGuesses };
    this.limit = new RateLimit(windows, 'admin_guesses', terms);
  }

  /** @throws RateLimited when the address has guessed too often */
  async count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const status = await this.limit.take(callerOf(clientAddress(request.raw, this.config.TRUSTED_PROXY_HOPS)));
    if (!status.allowed) throw this.limit.refusal(status);
    void reply.headers(this.limit.headers(status));
    // The answer is a refusal anyway: it does not wait for a log that cannot be written.
    await this.reads.add({ ...readOf(request, this.config), allowed: false }).catch((error: unknown) => {
      new Logger('operator-reads').warn({ message: 'a wrong token could not be written down', error });
    });
  }
}
