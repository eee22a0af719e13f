import { IdempotencyModule, sessionOf, ThrottlingModule, userOf } from '@evenkeel/platform/auth';
import { ProcessCrash, type Rate } from '@evenkeel/platform/config';
import { type EventTransport, FollowStreamModule, OutboxRelayModule } from '@evenkeel/platform/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import type { AccountsConfig } from './accounts.config';
import { AccountModule } from './account/account.controller';
import { EraseAccounts } from './account/delete-account';
import { AnalysisModule } from './analysis/analysis.controller';
import { ENTITLEMENTS_PROJECTION, ProjectEntitlements } from './entitlements/project-entitlements.consumer';
import { EraseOldRows } from './erase-old-rows';
import { HabitsModule } from './habits/habits.controller';
import { LogsModule } from './logs/logs.controller';
import { MailLinksModule } from './mail-links/mail-links.controller';
import { MailWorkerModule } from './mails/mails.module';
import { SignInModule } from './sign-in/sign-in.controller';
import { TransferModule } from './transfer/transfer.controller';
import { ProfileController } from './users/profile.controller';

/** The HTTP half of accounts. */
@Module({
  imports: [SignInModule, MailLinksModule, HabitsModule, LogsModule, AnalysisModule, TransferModule, AccountModule],
  controllers: [ProfileController],
})
export class AppModule {}

/** The background half of accounts. */
@Module({})
export class WorkerModule {
  static forRoot(transport: EventTransport): DynamicModule {
    const relay = OutboxRelayModule.forApp({ app: 'accounts', transport, crashPoints: ProcessCrash });
    const entitlements = FollowStreamModule.forApp({
      projection: ENTITLEMENTS_PROJECTION,
      consumers: [ProjectEntitlements],
      transport,
      crashPoints: ProcessCrash,
    });
    return {
      module: WorkerModule,
      imports: [relay, entitlements, IdempotencyModule, MailWorkerModule],
      providers: [EraseOldRows, EraseAccounts],
    };
  }
}

/** How often an address, a session or a user may ask. */
export function limitsOf(config: AccountsConfig): DynamicModule {
  const { rates } = config;
  const ofAddress = (rate: Rate) => ({ rate, scope: 'address' }) as const;
  const ofUser = (rate: Rate) => ({ rate, scope: 'user', callerOf: userOf }) as const;
  return ThrottlingModule.forRoot(config, {
    discovery: ofAddress(rates.discovery),
    register: ofAddress(rates.register),
    login: ofAddress(rates.login),
    mail: ofAddress(rates.mail),
    ownMail: ofAddress(rates.ownMail),
    refresh: { rate: rates.refresh, scope: 'user', callerOf: sessionOf },
    user: ofUser(rates.user),
    analysis: ofUser(rates.analysis),
    import: ofUser(rates.import),
    export: ofUser(rates.export),
  });
}
