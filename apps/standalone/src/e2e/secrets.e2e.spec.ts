import { randomBytes } from 'node:crypto';
import { AgentGatewayConfig } from '@evenkeel/agent-gateway';
import { secretSettings } from '@evenkeel/platform/config';
import { eventually, scrape, type TestDatabase } from '@evenkeel/platform/testing';
import { ReportingConfig } from '@evenkeel/reporting';
import { getMetadataStorage } from 'class-validator';
import { FAILURES, LeakyService } from './leaky-service.fixture';
import { aHome, FREE_PORTS } from './local-run.fixture';
import { aPaidRequest, send } from './paid-request.fixture';
import { databaseOfSuite, Program, settingsOf } from './programs.fixture';
import { COMMON_CANARIES, commonSettings, WatchedPrograms } from './watched-programs.fixture';

jest.setTimeout(180_000);

/** By the name of their setting, each in all its parts. */
const canaries = {
  ...COMMON_CANARIES,
  FACILITATOR_URL: ['canary-facilitator-path-9Gd3Wc'],
  FACILITATOR_CDP_KEY_SECRET: [randomBytes(64).toString('base64')],
  X402_RPC_URL: ['canary-rpc-path-5Tn8Rs', 'canary-rpc-query-2Hf6Vj', 'canary-rpc-login-7Yb1Kq'],
  FACILITATOR_LEDGER_URL: ['canary-list-path-4Zx9Mp', 'canary-list-query-8ld2nc'],
  ANSWER_KEYS: [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')],
  RECEIPT_KEYS: [Buffer.alloc(32, 9).toString('base64'), Buffer.alloc(32, 11).toString('base64')],
  ADMIN_TOKEN: ['canary "of the operator" 3Wv7'],
};
/** Of a login that the database refuses: its message names the user. */
const WRONG_LOGIN = { username: 'canary-user-3fKz', password: 'canary-db-Qm7tLw2x' };
/** Names that sound secret, of settings that everybody may read. */
const PUBLIC_SETTINGS = ['PUBLIC_BASE_URL', 'FACILITATOR_CDP_KEY_ID'];

const watched = new WatchedPrograms();
let leaky: LeakyService;
let database: TestDatabase;
let reportingTables: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  const known = Object.values(canaries).flat();
  leaky = await LeakyService.start(known.join(' '));
  [database, reportingTables] = await Promise.all([databaseOfSuite('agent-gateway'), databaseOfSuite('reporting')]);
  const passwords = [database, reportingTables].map(({ url }) => new URL(url).password);
  for (const secret of [...known, ...Object.values(WRONG_LOGIN), ...passwords]) watched.secrets.add(secret);
  const [rpcPath, rpcQuery, rpcLogin] = canaries.X402_RPC_URL;
  const [listPath, listQuery] = canaries.FACILITATOR_LEDGER_URL;
  const keys = (of: readonly string[]) => of.map((key, index) => `k${index}:${key}`).join(',');
  env = settingsOf('agent-gateway', database, {
    ...(await commonSettings(database)),
    FACILITATOR_URL: `http://${leaky.host}/x402/${canaries.FACILITATOR_URL[0]}`,
    FACILITATOR_CDP_KEY_ID: 'organizations/1/apiKeys/2',
    FACILITATOR_CDP_KEY_SECRET: canaries.FACILITATOR_CDP_KEY_SECRET[0],
    FACILITATOR_VERIFY_TIMEOUT_MS: '300',
    FACILITATOR_SETTLE_TIMEOUT_MS: '300',
    X402_RPC_URL: `http://reader:${rpcLogin}@${leaky.host}/v2/${rpcPath}?apikey=${rpcQuery}`,
    FACILITATOR_LEDGER_URL: `http://${leaky.host}/list/${listPath}?key=${listQuery}`,
    ANSWER_KEYS: keys(canaries.ANSWER_KEYS),
    RECEIPT_KEYS: keys(canaries.RECEIPT_KEYS),
    ADMIN_TOKEN: canaries.ADMIN_TOKEN[0],
    RECONCILE_EVERY_SECONDS: '1',
    OPERATOR: 'ada',
  });
});
afterAll(() => leaky?.close());
afterEach(() => watched.expectNoLeak());

const withWrongLogin = ({ url }: TestDatabase) => Object.assign(new URL(url), WRONG_LOGIN).href;

/** What a command prints that does not end well. */
async function command(name: string, over: Record<string, string>, ...args: string[]): Promise<string> {
  const program = watched.add(Program.script(name, { ...env, ...over }, args));
  expect((await program.exit).code).not.toBe(0);
  expect(program.output).not.toBe('');
  return program.output;
}

it('every setting with a secret has a canary, and every setting that sounds like one is marked', () => {
  const configs = [AgentGatewayConfig, ReportingConfig];
  const marked = new Set(configs.flatMap((config) => secretSettings(config)));
  expect([...marked].sort()).toEqual(Object.keys(canaries).sort());
  const all = configs.flatMap((config) => getMetadataStorage().getTargetValidationMetadatas(config, '', false, false));
  const sounding = all.filter(({ propertyName }) => /SECRET|TOKEN|PASS|KEY|_URL|PRIVATE|CREDENTIAL/.test(propertyName));
  const open = sounding.map(({ propertyName }) => propertyName).filter((name) => !marked.has(name));
  expect(open.filter((name) => !PUBLIC_SETTINGS.includes(name))).toEqual([]);
});

it('main and worker of the gateway log no secret and no payment, however the services they call fail', async () => {
  const [main, worker] = ['main', 'worker'].map((entry) => watched.service('agent-gateway', entry, env));
  const { url } = await main!.ready();
  const pay = async () => {
    const paid = await aPaidRequest();
    watched.secrets.add(paid.headers['x-payment']!);
    const credit = `hrc_${randomBytes(32).toString('base64url')}`;
    watched.secrets.add(credit);
    await send(url, { ...paid, headers: { 'content-type': 'application/json', 'x-agent-credit': credit } });
    return (await send(url, paid)).status;
  };
  // Its outcome is uncertain: from now on the worker asks the chain.
  await pay();
  expect(await database.dataSource.query('SELECT FROM payment_checks')).toHaveLength(1);
  const { internalUrl } = await worker!.ready();
  const failed = { duty: 'reconcile', outcome: 'failed' };
  const failures = async () => (await scrape(internalUrl)).value('evenkeel_worker_duty_seconds_count', failed) ?? 0;

  for (const failure of FAILURES) {
    const [mainSaid, workerSaid] = [main!.output.length, worker!.output.length];
    leaky.failure = failure;
    const failedBefore = await failures();
    expect(await pay()).toBeGreaterThanOrEqual(400);
    await eventually(
      async () => {
        await database.dataSource.query('UPDATE payment_checks SET next_at = now()');
        // The second one of each began after the failure did. Of equal failures of a job only the first is logged.
        const said = worker!.output.slice(workerSaid);
        expect(said.split('the chain cannot be read').length).toBeGreaterThan(2);
        expect(await failures()).toBeGreaterThan(failedBefore + 1);
        expect(main!.output.length).toBeGreaterThan(mainSaid);
      },
      { withinMs: 60_000 },
    );
  }
  expect(worker!.output).toContain(leaky.host);
  expect(worker!.output).toContain('the ledger could not be reconciled');
  await Promise.all([main!.stop(), worker!.stop()]);
}, 400_000);

it.each(FAILURES)('the commands of an operator print none: %s', async (failure) => {
  const { payer, nonce } = await aPaidRequest();
  leaky.failure = failure;
  const [chain] = await Promise.all([
    command('reconcile', {}),
    command('reconcile', { X402_RPC_URL: 'none' }),
    command('payment:close', {}, payer, nonce, nonce),
  ]);
  expect(chain).toContain(`The chain at ${leaky.host} cannot be read`);
});

it('nor what a list of settlements says in place of names', async () => {
  leaky.failure = 'false-list';
  expect(await command('reconcile', { X402_RPC_URL: 'none' })).toContain('1 theirs only');
});

it('neither does a program that does not start, nor a command whose database refuses it', async () => {
  const [gatewayUrl, reportingUrl] = [withWrongLogin(database), withWrongLogin(reportingTables)];
  const refused = watched.service('agent-gateway', 'main', {
    ...env,
    FACILITATOR_URL: `https://reader:${canaries.FACILITATOR_URL[0]}@facilitator.example`,
    ANSWER_KEYS: `${env['ANSWER_KEYS']},bad`,
    X402_RPC_URL: `ftp://rpc.example/${canaries.X402_RPC_URL[0]}`,
  });
  const [reconcile] = await Promise.all([
    command('reconcile', { DATABASE_URL: gatewayUrl }),
    command('events:rebuild', { DATABASE_URL: reportingUrl }, 'reporting'),
    command('events:replay', { DATABASE_URL: reportingUrl }, 'reporting'),
    watched.service('agent-gateway', 'migrate', { ...env, DATABASE_URL: gatewayUrl }).exit,
    watched.service('reporting', 'migrate', { ...env, DATABASE_URL: reportingUrl }).exit,
    refused.exit,
  ]);
  expect(reconcile).toContain('password authentication failed');
  expect(refused.output).toContain('FACILITATOR_URL must be');
});

it('neither do reporting and the one process of npm start', async () => {
  const common = await commonSettings(reportingTables);
  const reporting = watched.service('reporting', 'main', { ...env, ...common });
  // Pasted into the wrong place: paths are in the log.
  await fetch(`${(await reporting.ready()).url}/v1/admin/${encodeURIComponent(canaries.ADMIN_TOKEN[0]!)}`);
  await reporting.prints(/"path":"\/v1\/admin/);
  const { DATABASE_URL: _, ...withoutDatabase } = env;
  const local = watched.add(
    Program.script('start', { ...withoutDatabase, ...FREE_PORTS, DATA_DIR: `${aHome()}/data` }),
  );
  await local.prints(/Ctrl-C stops it/);
  expect(local.output).toContain(`facilitator     ${new URL(env['FACILITATOR_URL']!).origin}\n`);
  await command('start', { ...FREE_PORTS, DATABASE_URL: withWrongLogin(database), DATA_DIR: `${aHome()}/data` });
}, 300_000);
