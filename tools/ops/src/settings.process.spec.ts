import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createTestDatabase } from '@evenkeel/platform/testing';
import { Program, programArguments } from '@evenkeel/services/programs';

const ROOT = join(__dirname, '../../..');
const { PATH, HOME } = process.env;

/** Runs a program in production, by default without settings, to its end. */
async function runToEnd(
  file: string,
  args: string[] = [],
  settings: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; output: string }> {
  const ports = { PORT: '0', INTERNAL_PORT: '0', WORKER_INTERNAL_PORT: '0' };
  const program = Program.start(file, { NODE_ENV: 'production', ...ports, ...settings }, args);
  const { code } = await program.exit;
  return { code, output: program.output };
}

const sorted = (sentence: string): string[] => sentence.split(/[ ,.]+/).sort();

it.each([
  ['agent-gateway', ['DATABASE_URL', 'X402_PAY_TO', 'X402_RPC_URL', 'ANSWER_KEYS', 'RECEIPT_KEYS']],
  ['accounts', ['DATABASE_URL', 'JWT_KEYS', 'REFRESH_TOKEN_KEYS', 'SMTP_URL']],
  ['billing', ['DATABASE_URL']],
  ['reporting', ['DATABASE_URL']],
])(
  'no program of %s starts without its settings, and each names them in a sentence',
  async (service, names) => {
    const programs = ['main', 'worker', 'migrate'];
    const ended = await Promise.all(programs.map((name) => runToEnd(`apps/${service}/src/${name}.ts`)));
    ended.forEach(({ code, output }, index) => {
      // Its worker only reads events.
      const more = service === 'reporting' && programs[index] === 'worker' ? ['KAFKA_BROKERS'] : [];
      const [first, ...others] = output.trim().split('\n');
      const sentence = `The configuration is not valid. Not set, and required: ${[...names, ...more].join(', ')}.`;
      expect([code, sorted(first!)]).toEqual([1, sorted(sentence)]);
      expect(others.map((line) => line.slice(0, 2))).toEqual([...names, ...more].map(() => '- '));
    });
    const { code, output } = await runToEnd(`apps/${service}/src/main.ts`, ['--check']);
    const named = output.match(/^wrong +settings +[A-Z_0-9]+/gm)?.map((line) => line.split(/ +/)[2]);
    expect([code, named?.sort()]).toEqual([1, [...names].sort()]);
    expect(output).toMatch(new RegExp(`\\d to correct for ${service}\\.\n$`));
  },
  180_000,
);

it('events:replay knows the subscriptions: a misspelt one has nothing parked, which would read as good news', async () => {
  const { code, output } = await runToEnd('tools/ops/src/events/replay/main.ts', ['reporting-subscriptions', '--list']);
  const choices = 'Allowed choices are reporting, reporting.subscriptions, accounts, billing.';
  expect([code, output]).toEqual([2, expect.stringContaining(choices)]);
});

it('events:replay refuses the database of another service, where nothing is parked either', async () => {
  await using database = await createTestDatabase({ name: 'other', entities: [], migrations: [] });
  const program = 'tools/ops/src/events/replay/main.ts';
  const replay = () => runToEnd(program, ['billing', '--list'], { DATABASE_URL: database.url });
  const refused = { code: 1, output: 'DATABASE_URL is not the database of billing.\n' };
  // As the gateway's, which reads no events.
  expect(await replay()).toMatchObject(refused);
  await database.dataSource.query('CREATE TABLE progress (subscription text)');
  expect(await replay()).toMatchObject(refused);
}, 60_000);

it.each([
  ['events/replay', 'billing', '--list'],
  ['events/rebuild', 'billing'],
  ['seed', 'payments'],
  ['seed', 'people'],
])(
  '%s %s names a database that takes the connection and never answers',
  async (folder, ...args) => {
    const silent = createServer().listen(0, '127.0.0.1');
    try {
      await once(silent, 'listening');
      const server = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
      const DATABASE_URL = `postgres://operator@${server}/billing`;
      const { code, output } = await runToEnd(`tools/ops/src/${folder}/main.ts`, args, { DATABASE_URL });
      expect([code! > 0, output]).toEqual([
        true,
        expect.stringMatching(`^The database at ${server} cannot be used: .*\n$`),
      ]);
    } finally {
      silent.close();
    }
  },
  60_000,
);

it('seed takes no day that the calendar does not have', async () => {
  const { code, output } = await runToEnd('tools/ops/src/seed/main.ts', ['payments', '--until', '2026-02-30']);
  expect([code, output]).toEqual([2, expect.stringContaining('It must be a day, such as 2026-01-31.')]);
});

it('a command whose output nobody reads any more ends as it would have ended', async () => {
  const program = [...programArguments('tools/ops/src/events/replay/main.ts'), '--help'];
  const child = spawn(process.execPath, program, { cwd: ROOT, env: { PATH, HOME }, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const errors: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  expect([await once(child, 'close'), errors]).toEqual([[0, null], []]);
});
