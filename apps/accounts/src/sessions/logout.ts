import { AccessTokens, type SignedIn } from '@evenkeel/platform/auth';
import { together } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { lockUser } from '../users/lock-user';
import { EndSessions } from './end-sessions';

/** Ends the session of somebody who leaves. */
@Injectable()
export class Logout {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accessTokens: AccessTokens,
    private readonly endSessions: EndSessions,
  ) {}

  /**
   * Also of a session that is over.
   * @throws Unauthorized for a token that is none of ours, or not any more
   */
  async sessionOfAccessToken(token: string): Promise<SignedIn> {
    const { sub, sid } = await this.accessTokens.claimsOf(token);
    return { userId: sub, sessionId: sid };
  }

  async execute({ userId, sessionId }: SignedIn): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await together([lockUser(tx, userId), this.endSessions.execute(tx, userId, { only: sessionId })]);
    });
  }
}
