import { Clock } from '@evenkeel/kernel';
import { AccessTokens, LiveSessions, OwnAccessKeys, SignedInGuard } from '@evenkeel/platform/auth';
import { Global, Module } from '@nestjs/common';
import { AccountsConfig } from '../accounts.config';
import { SecurityModule } from '../security/security.module';
import { LiveAccountSessions } from '../users/account-user';
import { EndSessions } from './end-sessions';
import { IssueTokens } from './issue-tokens';
import { RefreshSession } from './refresh-session';
import { SessionsController } from './sessions.controller';
import { StartSession } from './start-session';
import { KeysController, TokensController } from './tokens.controller';

const accessTokens = {
  provide: AccessTokens,
  inject: [AccountsConfig, Clock],
  useFactory: (config: AccountsConfig, clock: Clock) =>
    new AccessTokens(new OwnAccessKeys(config.accessKeys), { issuer: config.baseUrl, audience: 'v1' }, clock),
};

/** Sessions, their tokens, and the guard that every route of a person has. */
@Global()
@Module({
  imports: [SecurityModule],
  controllers: [TokensController, SessionsController, KeysController],
  providers: [
    accessTokens,
    { provide: LiveSessions, useClass: LiveAccountSessions },
    SignedInGuard,
    IssueTokens,
    StartSession,
    EndSessions,
    RefreshSession,
  ],
  exports: [AccessTokens, LiveSessions, SignedInGuard, IssueTokens, StartSession, EndSessions],
})
export class SessionsModule {}
