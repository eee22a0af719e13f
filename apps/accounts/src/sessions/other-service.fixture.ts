import { ACCOUNTS_STREAM } from '@evenkeel/contracts';
import type { Clock } from '@evenkeel/kernel';
import {
  createRevokedSessions,
  CurrentUser,
  dropRevokedSessions,
  RememberRevokedSessions,
  RemoteSignInConfig,
  RemoteSignInModule,
  SignedInGuard,
  type SignedIn,
} from '@evenkeel/platform/auth';
import { loadConfig } from '@evenkeel/platform/config';
import type { RunningHttp } from '@evenkeel/platform/http';
import { createInbox, dropInbox, Subscription, type EventTransport } from '@evenkeel/platform/messaging';
import { postgresOptions } from '@evenkeel/platform/persistence';
import type { Service } from '@evenkeel/platform/service';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { ask, serveService, type Reply } from '@evenkeel/platform/testing/service';
import { Controller, Get, Module, UseGuards } from '@nestjs/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';

class CreateTables1736847000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createInbox(runner);
    await createRevokedSessions(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropRevokedSessions(runner);
    await dropInbox(runner);
  }
}

const TABLES = { entities: [], migrations: [CreateTables1736847000000] };

class OtherConfig extends RemoteSignInConfig {}

@UseGuards(SignedInGuard)
@Controller('me')
class MeController {
  @Get()
  me(@CurrentUser() user: SignedIn): SignedIn {
    return user;
  }
}

@Module({ controllers: [MeController] })
class OtherModule {}

@Module({})
class NoWork {
  static forRoot() {
    return { module: NoWork };
  }
}

const OTHER: Service<OtherConfig> = {
  name: 'other',
  config: OtherConfig,
  database: ({ DATABASE_URL: url }) => postgresOptions({ url, ...TABLES }),
  app: OtherModule,
  appModules: (config) => [RemoteSignInModule.forRoot(config, 'v1')],
  worker: NoWork,
};
const silent = { warn: () => undefined, error: () => undefined };

/** A service that signs nobody in itself: it has a database of its own, and gets events of sessions over a broker. */
export class OtherService {
  private constructor(
    readonly running: RunningHttp,
    readonly database: TestDatabase,
    private readonly subscription: Subscription,
  ) {}

  /** @param options name: of its subscription */
  static async start(options: {
    jwksUrl: string;
    transport: EventTransport;
    clock: Clock;
    name?: string;
  }): Promise<OtherService> {
    const { jwksUrl: JWKS_URL, transport, clock, name = 'other' } = options;
    const database = await createTestDatabase({ name: 'other', ...TABLES });
    const settings = { DATABASE_URL: database.url, JWKS_URL, PUBLIC_BASE_URL: 'http://localhost:8080' };
    const { running } = await serveService(OTHER, loadConfig(OtherConfig, settings), { clock });
    const { dataSource } = database;
    const consumers = [new RememberRevokedSessions('other')];
    const subscription = new Subscription({
      name,
      dataSource,
      transport,
      consumers,
      topics: [ACCOUNTS_STREAM],
      log: silent,
    });
    subscription.start();
    return new OtherService(running, database, subscription);
  }

  me(token: string): Promise<Reply> {
    return ask(`${this.running.url}/me`, { headers: { authorization: `Bearer ${token}` } });
  }

  async remembered(): Promise<string[]> {
    const rows = await this.database.dataSource.query<{ id: string }[]>('SELECT id FROM revoked_sessions ORDER BY id');
    return rows.map(({ id }) => id);
  }

  async close(): Promise<void> {
    await this.subscription.stop();
    await this.running.close();
    await this.database.drop();
  }
}
