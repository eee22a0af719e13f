import { Clock } from '@evenkeel/kernel';
import { AccessKeys, AccessTokens, LiveSessions, SignedInGuard } from '@evenkeel/platform/auth';
import { IsInternalUrl, ServiceConfig } from '@evenkeel/platform/config';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import { RemoteAccessKeys } from './remote-access-keys';

/** Settings of a service that does not sign people in itself. */
export abstract class RemoteSignInConfig extends ServiceConfig {
  /** Where the service that signs publishes its keys; by default below the base URL, which all services share. */
  @IsOptional() @IsInternalUrl() JWKS_URL?: string;

  get jwksUrl(): string {
    return this.JWKS_URL ?? `${this.baseUrl}/.well-known/jwks.json`;
  }
}

/**
 * `SignedInGuard` for a service that does not sign people in itself. Needs a `Clock`, a `DataSource` with the table of
 * `createRevokedSessions`, and a subscription with `RememberRevokedSessions`.
 */
@Module({})
export class RemoteSignInModule {
  /**
   * @param audience of the surface that the tokens are for
   * @param sessions a class of the service that reads what it needs of a user in the same statement; it may be injected too
   */
  static forRoot(
    { jwksUrl, baseUrl: issuer }: RemoteSignInConfig,
    audience: string,
    sessions: Type<LiveSessions>,
  ): DynamicModule {
    const tokens = {
      provide: AccessTokens,
      inject: [AccessKeys, Clock],
      useFactory: (keys: AccessKeys, clock: Clock) => new AccessTokens(keys, { issuer, audience }, clock),
    };
    const keyed = (clock: Clock) => new RemoteAccessKeys(jwksUrl, clock);
    const keys = { provide: AccessKeys, inject: [Clock], useFactory: keyed };
    return {
      module: RemoteSignInModule,
      global: true,
      providers: [keys, tokens, sessions, { provide: LiveSessions, useExisting: sessions }, SignedInGuard],
      exports: [AccessTokens, sessions, LiveSessions, SignedInGuard],
    };
  }
}
