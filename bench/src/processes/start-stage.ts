import { randomBytes } from 'node:crypto';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { newEs256Key } from '@evenkeel/platform/keys';
import { ensureDatabase, productionAllocator, productionNodeOptions } from '@evenkeel/services';
import { gatewaySettings } from '../sellers/gateway-settings';
import { built } from './built';
import type { Child } from './child';
import { Scene } from './scene';

/** No broker is there: the client is loaded all the same. */
const NO_BROKER = '127.0.0.1:1';
const PROGRAMS = ['main', 'worker'] as const;

/** One program of a service as it was built, and what it needs. */
export interface BuiltProgram {
  /** `billing worker`. */
  name: string;
  file: string;
  env: Record<string, string>;
  /** As in production. */
  nodeOptions: readonly string[];
}

/** One PostgreSQL with fsync and a migrated database for each service, over which their programs start as in production. */
export class StartStage extends Scene {
  readonly programs: BuiltProgram[] = [];

  static set(): Promise<StartStage> {
    const stage = new StartStage();
    return stage.opened(() => stage.open());
  }

  /** From the start of the process to its first line. */
  async run({ file, env, nodeOptions }: BuiltProgram): Promise<Child> {
    return this.start(file, { env, isBuilt: true, nodeOptions });
  }

  private async open(): Promise<void> {
    const server = await this.startPostgres();
    for (const app of APP_NAMES) {
      const env = settingsOf(app, await ensureDatabase(server, app.replaceAll('-', '_')));
      const main = await built(`@evenkeel/${app}`, 'main');
      const beside = (program: string): string => main.replace(/main\.js$/, `${program}.js`);
      await this.runToEnd(beside('migrate'), env);
      const optionsOf = (name: string): string[] => productionNodeOptions(name === 'main' ? app : undefined);
      const program = (name: string) => ({ file: beside(name), env, nodeOptions: optionsOf(name) });
      this.programs.push(...PROGRAMS.map((name) => ({ name: `${app} ${name}`, ...program(name) })));
    }
  }
}

function settingsOf(app: AppName, databaseUrl: string): Record<string, string> {
  const ports = { PORT: '0', INTERNAL_PORT: '0', WORKER_INTERNAL_PORT: '0' };
  const common = {
    ...productionAllocator(),
    ...ports,
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: NO_BROKER,
    KAFKA_TLS: 'off',
  };
  const own: Record<AppName, () => Record<string, string>> = {
    'agent-gateway': () => gatewaySettings(databaseUrl, 'http://127.0.0.1:1'),
    accounts: () => ({
      ...{ JWT_KEYS: newEs256Key('bench'), REFRESH_TOKEN_KEYS: `bench:${randomBytes(32).toString('base64')}` },
      SMTP_URL: 'none',
    }),
    billing: () => ({ PUBLIC_BASE_URL: 'http://localhost:8080', JWKS_URL: 'http://127.0.0.1:1/jwks.json' }),
    reporting: () => ({ ADMIN_TOKEN: 'the word of the benchmark' }),
  };
  return { ...common, ...own[app]() };
}
