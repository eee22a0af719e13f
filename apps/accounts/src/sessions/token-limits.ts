import { RateLimit, RateWindows } from '@evenkeel/platform/auth';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AccountsConfig } from '../accounts.config';

/** Limits of routes whose caller is known only when the token in the body is found; counted together with those of the guard. */
@Injectable()
export class TokenLimits {
  private readonly refresh: RateLimit;
  private readonly user: RateLimit;
  private readonly logout: RateLimit;

  constructor(windows: RateWindows, { rates }: AccountsConfig) {
    this.refresh = new RateLimit(windows, 'refresh', { policy: 'refresh', scope: 'user', rate: rates.refresh });
    this.logout = new RateLimit(windows, 'logout', { policy: 'logout', scope: 'address', rate: rates.logout });
    this.user = new RateLimit(windows, 'user', { policy: 'user', scope: 'user', rate: rates.user });
  }

  /** @throws RateLimited */
  ofSession(sessionId: string, reply: FastifyReply): Promise<void> {
    return take(this.refresh, sessionId, reply);
  }

  /** For logging out by a refresh token, which may be any text. @throws RateLimited */
  ofLogout(caller: string, reply: FastifyReply): Promise<void> {
    return take(this.logout, caller, reply);
  }

  /** @throws RateLimited */
  ofUser(userId: string, reply: FastifyReply): Promise<void> {
    return take(this.user, userId, reply);
  }
}

async function take(limit: RateLimit, caller: string, reply: FastifyReply): Promise<void> {
  const status = await limit.take(caller);
  if (!status.allowed) throw limit.refusal(status);
  void reply.headers(limit.headers(status));
}
