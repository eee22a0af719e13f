import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { databaseOptions } from '@evenkeel/billing';
import { uuidv7 } from '@evenkeel/kernel';
import { migrate } from '@evenkeel/platform/persistence';
import { ensureDatabase, productionAllocator, productionNodeOptions } from '@evenkeel/services';
import { JwtService } from '@nestjs/jwt';
import { es256KeysOf, newEs256Key } from '@evenkeel/platform/keys';
import { built } from '../processes/built';
import type { Child } from '../processes/child';
import { Scene } from '../processes/scene';
import { ProviderEvents, type Subscriber } from './provider-events';

const BASE_URL = 'http://localhost:8080';
const TOKEN_SECONDS = 3_600;

/** One PostgreSQL with fsync, billing over it as in production, and a bare Fastify beside it. */
export class BillingStage extends Scene {
  databaseUrl!: string;
  app!: Child;
  echo!: Child;
  /** From the start of the process to its first line. */
  startSeconds!: number;
  readonly provider = new ProviderEvents();
  private readonly keys = newEs256Key('bench');
  private readonly jwt = new JwtService({});

  /** @param profileTo folder for a CPU profile of billing, written when it stops */
  static set(profileTo?: string): Promise<BillingStage> {
    const stage = new BillingStage();
    return stage.opened(() => stage.build(profileTo));
  }

  token({ userId }: Subscriber): string {
    const iat = Math.floor(Date.now() / 1_000);
    const { kid, key: privateKey } = es256KeysOf(this.keys).signing;
    return this.jwt.sign(
      { sid: uuidv7(new Date()), tier: 'FREE', auth_time: iat, iat, exp: iat + TOKEN_SECONDS },
      {
        ...{ privateKey, algorithm: 'ES256', header: { alg: 'ES256', typ: 'at+jwt', kid } },
        ...{ issuer: BASE_URL, audience: 'v1', subject: userId, jwtid: randomUUID() },
      },
    );
  }

  private async build(profileTo?: string): Promise<void> {
    const program = await built('@evenkeel/billing', 'main');
    this.databaseUrl = await ensureDatabase(await this.startPostgres(), 'billing');
    await migrate(databaseOptions({ DATABASE_URL: this.databaseUrl }));
    const keys = await this.start(join(__dirname, 'key-server'), { args: [this.keys] });
    const started = performance.now();
    this.app = await this.start(program, {
      isBuilt: true,
      nodeOptions: [
        ...productionNodeOptions('billing'),
        ...(profileTo === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileTo}`]),
      ],
      env: {
        ...productionAllocator(),
        ...{ DATABASE_URL: this.databaseUrl, PORT: '0', INTERNAL_PORT: '0', PUBLIC_BASE_URL: BASE_URL },
        ...{ JWKS_URL: keys.url, STRIPE_WEBHOOK_SECRET: this.provider.secret, RATE_LIMIT_SCALE: '1000000' },
        // With a key, unsure events ask for a read. It would be made by a worker, and none runs here.
        ...{ STRIPE_PRICE_MONTHLY: 'price_monthly', STRIPE_SECRET_KEY: 'sk_test_bench' },
      },
    });
    this.startSeconds = (performance.now() - started) / 1_000;
    this.echo = await this.start(join(__dirname, '../accounts/bare-echo'));
  }
}
