import { randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import type { AppName } from '@evenkeel/contracts';
import { runCommand, startCommand, type Streams } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { ensureDatabase, startKafka, startRedis, startTemporaryPostgres } from '@evenkeel/services';
import { checkImages } from './check-images';
import { CHECK } from './command';

const ROOT = join(__dirname, '../../../..');
/** Nobody listens there: a program that starts asks nobody else. */
const NOBODY = 'http://127.0.0.1:1';

const keys = (): string => `trial:${randomBytes(32).toString('base64')}`;

const OWN: Readonly<Record<AppName, () => Record<string, string>>> = {
  'agent-gateway': () => ({
    X402_PAY_TO: `0x${'ab'.repeat(20)}`,
    FACILITATOR_URL: NOBODY,
    X402_RPC_URL: 'none',
    ANSWER_KEYS: keys(),
    RECEIPT_KEYS: keys(),
  }),
  accounts: () => ({ JWT_KEYS: keys(), REFRESH_TOKEN_KEYS: keys() }),
  billing: () => ({ JWKS_URL: NOBODY }),
  reporting: () => ({ ADMIN_TOKEN: randomBytes(24).toString('base64url') }),
};

async function check(projects: readonly string[], env: Environment, { out, err }: Streams): Promise<number> {
  const began = performance.now();
  const seconds = (): string => ((performance.now() - began) / 1_000).toFixed(0).padStart(4);
  const say = (line: string): void => out(`${seconds()} s  ${line}\n`);
  await using postgres = await startTemporaryPostgres();
  await using redis = await startRedis();
  await using kafka = await startKafka();
  const settingsOf = async (project: string): Promise<Record<string, string>> => {
    if (!project.startsWith('apps/')) return {};
    const app = basename(project) as AppName;
    const DATABASE_URL = await ensureDatabase(postgres.url, app.replaceAll('-', '_'));
    return { DATABASE_URL, REDIS_URL: redis.url, KAFKA_BROKERS: kafka.brokers, PUBLIC_BASE_URL: NOBODY, ...OWN[app]() };
  };
  const offences = await checkImages({ root: ROOT, projects, settingsOf, env, say });
  for (const offence of offences) err(`${offence}\n`);
  if (offences.length === 0) say('nothing is wrong.');
  return offences.length === 0 ? 0 : 1;
}

startCommand(process.env, (args, env, streams) =>
  runCommand(CHECK, args, streams, ({ projects }, safe) => check(projects, env, safe)),
);
