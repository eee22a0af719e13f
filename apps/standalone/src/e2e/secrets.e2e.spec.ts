import { randomBytes } from 'node:crypto';
import { AgentGatewayConfig } from '@evenkeel/agent-gateway';
import { secretSettings } from '@evenkeel/platform/config';
import { eventually, scrape, type TestDatabase } from '@evenkeel/platform/testing';
import { freePort } from '@evenkeel/services/free-port';
import { ReportingConfig } from '@evenkeel/reporting';
import { getMetadataStorage } from 'class-validator';
import { gatewayDatabase, PAY_TO, startGateway, startWorker } from './gateway-programs.fixture';
import { FAILURES, LeakyService } from './leaky-service.fixture';
import { aHome, FREE_PORTS } from './local-run.fixture';
import { aPaidRequest } from './paid-request.fixture';
import { Program, stopPrograms } from './program.fixture';
import { reportingDatabase, startReporting } from './reporting-programs.fixture';
import { leaksIn } from './secret-search.fixture';
import { send } from './send.fixture';

jest.setTimeout(180_000);

/** By the name of their setting, each in all its parts. */
const canaries = {
  DATABASE_URL: ['canary-option-J5yHr8', 'canary-db-Qm7tLw2x', 'canary-user-3fKz'],
  REDIS_URL: ['canary-redis-Xk4vBz9p'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['canary-traces-4Tn7Wq'],
  KAFKA_SASL_PASSWORD: ['canary-kafka-2Fd8Lm'],
  FACILITATOR_URL: ['canary-facilitator-path-9Gd3Wc'],
  FACILITATOR_CDP_KEY_SECRET: [randomBytes(64).toString('base64')],
  X402_RPC_URL: ['canary-rpc-path-5Tn8Rs', 'canary-rpc-query-2Hf6Vj', 'canary-rpc-login-7Yb1Kq'],
  FACILITATOR_LEDGER_URL: ['canary-list-path-4Zx9Mp', 'canary-list-query-8ld2nc'],
  ANSWER_KEYS: [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')],
  RECEIPT_KEYS: [Buffer.alloc(32, 9).toString('base64'), Buffer.alloc(32, 11).toString('base64')],
  ADMIN_TOKEN: ['canary "of the operator" 3Wv7'],
};
type SecretName = keyof typeof canaries;

/** Secrets that the failing services got; a wrong login is in no setting of the others. */
const KNOWN = Object.values(canaries)
  .flat()
  .filter((canary) => !canaries.DATABASE_URL.slice(1).includes(canary))
  .join(' ');

/** Names that sound secret, of settings that everybody may read. */
const PUBLIC_SETTINGS = ['PUBLIC_BASE_URL', 'FACILITATOR_CDP_KEY_ID'];

let leaky: LeakyService;
let database: TestDatabase;
let reportingTables: TestDatabase;
let env: Record<string, string>;
const outputs: Program[] = [];

beforeAll(async () => {
  leaky = await LeakyService.start(KNOWN);
  [database, reportingTables] = await Promise.all([gatewayDatabase(), reportingDatabase()]);
  const [rpcPath, rpcQuery, rpcLogin] = canaries.X402_RPC_URL;
  const [listPath, listQuery] = canaries.FACILITATOR_LEDGER_URL;
  const keys = (name: SecretName) => canaries[name].map((key, index) => `k${index}:${key}`).join(',');
  const settings: Record<SecretName, string> = {
    DATABASE_URL: withOption(database.url),
    REDIS_URL: `redis://:${canaries.REDIS_URL[0]}@127.0.0.1:${await freePort()}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}/${canaries.OTEL_EXPORTER_OTLP_ENDPOINT[0]}`,
    KAFKA_SASL_PASSWORD: canaries.KAFKA_SASL_PASSWORD[0]!,
    FACILITATOR_URL: `http://${leaky.host}/x402/${canaries.FACILITATOR_URL[0]}`,
    FACILITATOR_CDP_KEY_SECRET: canaries.FACILITATOR_CDP_KEY_SECRET[0]!,
    X402_RPC_URL: `http://reader:${rpcLogin}@${leaky.host}/v2/${rpcPath}?apikey=${rpcQuery}`,
    FACILITATOR_LEDGER_URL: `http://${leaky.host}/list/${listPath}?key=${listQuery}`,
    ANSWER_KEYS: keys('ANSWER_KEYS'),
    RECEIPT_KEYS: keys('RECEIPT_KEYS'),
    ADMIN_TOKEN: canaries.ADMIN_TOKEN[0]!,
  };
  env = {
    ...FREE_PORTS,
    ...settings,
    WORKER_INTERNAL_PORT: '0',
    PUBLIC_BASE_URL: 'http://localhost:3000',
    FACILITATOR_CDP_KEY_ID: 'organizations/1/apiKeys/2',
    FACILITATOR_VERIFY_TIMEOUT_MS: '300',
    FACILITATOR_SETTLE_TIMEOUT_MS: '300',
    X402_PAY_TO: PAY_TO,
    RECONCILE_EVERY_SECONDS: '1',
    RATE_LIMIT_SCALE: '1000',
    OPERATOR: 'ada',
  };
});

afterAll(async () => {
  await stopPrograms();
  await Promise.all([leaky?.close(), database?.drop(), reportingTables?.drop()]);
});

/** The database that tests have, with a secret in it that a client of PostgreSQL may be given. */
function withOption(url: string): string {
  return `${url}?application_name=${canaries.DATABASE_URL[0]}`;
}

/** The server names the user whom it refuses. */
function withWrongLogin(url: string): string {
  const changed = new URL(withOption(url));
  [, changed.password = '', changed.username = ''] = canaries.DATABASE_URL;
  return changed.href;
}

/** Kept, to be searched at the end. */
function watched(program: Program): Program {
  outputs.push(program);
  return program;
}

async function command(name: string, over: Record<string, string> = {}, ...args: string[]): Promise<string> {
  const program = watched(Program.script(name, { ...env, ...over }, args));
  expect((await program.exit).code).not.toBe(0);
  expect(program.output).not.toBe('');
  return program.output;
}

function leaks(text: string): string[] {
  const passwords = [database, reportingTables].map(({ url }) => new URL(url).password);
  return leaksIn(text, [...Object.values(canaries).flat(), ...passwords]);
}

afterEach(() => {
  for (const program of outputs) expect(leaks(program.output)).toEqual([]);
});

it('every setting with a secret has a canary, and every setting that sounds like one is marked', () => {
  const configs = [AgentGatewayConfig, ReportingConfig];
  const marked = new Set(configs.flatMap((config) => secretSettings(config)));
  expect([...marked].sort()).toEqual(Object.keys(canaries).sort());
  const all = configs.flatMap((config) =>
    getMetadataStorage()
      .getTargetValidationMetadatas(config, '', false, false)
      .map(({ propertyName }) => propertyName),
  );
  const sounding = new Set(all.filter((name) => /SECRET|TOKEN|PASS|KEY|_URL|PRIVATE|CREDENTIAL/.test(name)));
  expect([...sounding].filter((name) => !marked.has(name) && !PUBLIC_SETTINGS.includes(name))).toEqual([]);
});

it('main and worker of the gateway log no secret, however the services they call fail', async () => {
  const gateway = await startGateway(env);
  watched(gateway.program);
  // Its outcome is uncertain: from now on the worker asks the chain.
  await send(gateway.url, await aPaidRequest());
  const [{ open }] = await database.dataSource.query<[{ open: number }]>(
    'SELECT count(*)::integer AS open FROM payment_checks',
  );
  expect(open).toBe(1);
  const worker = watched(await startWorker(env));
  const { internalUrl } = await worker.ready();
  const failed = { duty: 'reconcile', outcome: 'failed' };
  const failures = async () => (await scrape(internalUrl)).value('evenkeel_worker_duty_seconds_count', failed) ?? 0;

  for (const failure of FAILURES) {
    const [mainSaid, workerSaid] = [gateway.program.output.length, worker.output.length];
    await leaky.fail(failure);
    const failedBefore = await failures();
    expect((await send(gateway.url, await aPaidRequest())).status).toBeGreaterThanOrEqual(400);
    await eventually(
      async () => {
        await database.dataSource.query('UPDATE payment_checks SET next_at = now()');
        const since = worker.output.slice(workerSaid);
        // The second one of each began after the failure did. Of equal failures of a duty only the first is logged.
        expect(since.split('the chain cannot be read').length).toBeGreaterThan(2);
        expect(await failures()).toBeGreaterThan(failedBefore + 1);
        expect(gateway.program.output.length).toBeGreaterThan(mainSaid);
      },
      { withinMs: 60_000 },
    );
  }
  expect(worker.output).toContain(leaky.host);
  expect(worker.output).toContain('the ledger could not be reconciled');
  await Promise.all([gateway.program.stop(), worker.stop()]);
}, 400_000);

it.each(FAILURES)('the commands of an operator print none: %s', async (failure) => {
  leaky = failure === FAILURES[0] ? await LeakyService.start(KNOWN) : leaky;
  const { payer, nonce } = await aPaidRequest();
  const at = (address: string) => address.replace(/127\.0\.0\.1:\d+/, leaky.host);
  const [X402_RPC_URL, FACILITATOR_LEDGER_URL] = [at(env['X402_RPC_URL']!), at(env['FACILITATOR_LEDGER_URL']!)];
  await leaky.fail(failure);
  const [chain, list] = await Promise.all([
    command('reconcile', { X402_RPC_URL }),
    command('reconcile', { X402_RPC_URL: 'none', FACILITATOR_LEDGER_URL }),
    command('payment:close', { X402_RPC_URL }, payer, nonce, nonce),
  ]);
  expect(chain).toContain(`The chain at ${leaky.host} cannot be read`);
  expect(list).not.toBe('');
});

it('nor what a list of settlements says in place of names', async () => {
  leaky = await LeakyService.start(KNOWN);
  leaky.failure = 'false-list';
  const FACILITATOR_LEDGER_URL = env['FACILITATOR_LEDGER_URL']!.replace(/127\.0\.0\.1:\d+/, leaky.host);
  const report = await command('reconcile', { X402_RPC_URL: 'none', FACILITATOR_LEDGER_URL });
  expect(report).toContain('1 theirs only');
});

it('neither does a program that does not start, nor a command whose database refuses it', async () => {
  const gatewayUrl = withWrongLogin(database.url);
  const reportingUrl = withWrongLogin(reportingTables.url);
  const migrate = (entry: string, url: string) =>
    watched(Program.start(`apps/${entry}/src/migrate.ts`, { ...env, DATABASE_URL: url })).exit;
  const [facilitatorKey] = canaries.FACILITATOR_URL;
  const refused = watched(
    Program.start('apps/agent-gateway/src/main.ts', {
      ...env,
      FACILITATOR_URL: `https://reader:${facilitatorKey}@facilitator.example`,
      ANSWER_KEYS: `${env['ANSWER_KEYS']},bad`,
      X402_RPC_URL: `ftp://rpc.example/${canaries.X402_RPC_URL[0]}`,
    }),
  );
  const [, , ...printed] = await Promise.all([
    migrate('agent-gateway', gatewayUrl),
    migrate('reporting', reportingUrl),
    command('reconcile', { DATABASE_URL: gatewayUrl }),
    command('events:rebuild', { DATABASE_URL: reportingUrl }, 'reporting'),
    command('events:replay', { DATABASE_URL: reportingUrl }, 'reporting'),
    refused.exit,
  ]);
  expect(printed[0]).toContain('password authentication failed');
  expect(refused.output).toContain('FACILITATOR_URL must be');
});

it('neither do reporting and the one process of npm start', async () => {
  const { program, url } = await startReporting({ ...env, DATABASE_URL: withOption(reportingTables.url) });
  watched(program);
  // Pasted into the wrong place: paths are in the log.
  await fetch(`${url}/v1/admin/${encodeURIComponent(canaries.ADMIN_TOKEN[0]!)}`);
  await program.prints(/"path":"\/v1\/admin/);
  const { DATABASE_URL: _, ...withoutDatabase } = env;
  const local = watched(Program.script('start', { ...withoutDatabase, DATA_DIR: `${aHome()}/data` }));
  await local.prints(/Ctrl-C stops it/);
  expect(local.output).toContain(`facilitator     ${new URL(env['FACILITATOR_URL']!).origin}\n`);
  const refused = watched(
    Program.script('start', { ...env, DATABASE_URL: withWrongLogin(database.url), DATA_DIR: `${aHome()}/data` }),
  );
  expect((await refused.exit).code).toBe(1);
  await Promise.all([local.stop(), program.stop()]);
});
