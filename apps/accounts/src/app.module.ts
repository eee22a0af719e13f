import { sessionOf, ThrottlingModule, userOf } from '@evenkeel/platform/auth';
import { ProcessCrash } from '@evenkeel/platform/config';
import { type EventTransport, FollowStreamModule, OutboxRelayModule } from '@evenkeel/platform/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import type { AccountsConfig } from './accounts.config';
import { AccountModule, EraseModule } from './account/account.module';
import { AnalysisModule } from './analysis/analysis.module';
import { ENTITLEMENTS_PROJECTION, ProjectEntitlements } from './entitlements/project-entitlements.consumer';
import { HabitsModule } from './habits/habits.module';
import { LogsModule, LogsUpkeepModule } from './logs/logs.module';
import { MailLinksModule } from './mail-links/mail-links.module';
import { MailWorkerModule } from './mails/mails.module';
import { SecurityUpkeepModule } from './security/security.module';
import { SignInModule } from './sign-in/sign-in.module';
import { TransferModule } from './transfer/transfer.module';
import { ChangeProfile } from './users/change-profile';
import { ProfileController } from './users/profile.controller';

/** The HTTP half of accounts. */
@Module({
  imports: [SignInModule, MailLinksModule, HabitsModule, LogsModule, AnalysisModule, TransferModule, AccountModule],
  controllers: [ProfileController],
  providers: [ChangeProfile],
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
      imports: [relay, entitlements, MailWorkerModule, LogsUpkeepModule, SecurityUpkeepModule, EraseModule],
    };
  }
}

/** How often an address, a session or a user may ask. */
export function limitsOf(config: AccountsConfig): DynamicModule {
  const { rates } = config;
  return ThrottlingModule.forRoot(config, {
    discovery: { rate: rates.discovery, scope: 'address' },
    register: { rate: rates.register, scope: 'address' },
    login: { rate: rates.login, scope: 'address' },
    mail: { rate: rates.mail, scope: 'address' },
    ownMail: { rate: rates.ownMail, scope: 'address' },
    refresh: { rate: rates.refresh, scope: 'user', callerOf: sessionOf },
    user: { rate: rates.user, scope: 'user', callerOf: userOf },
    analysis: { rate: rates.analysis, scope: 'user', callerOf: userOf },
    import: { rate: rates.import, scope: 'user', callerOf: userOf },
    export: { rate: rates.export, scope: 'user', callerOf: userOf },
  });
}
