import { run } from './doctor-command';
import { runToEnd } from './service-program.fixture';

/** Without these no program of a service starts in production. */
const NEEDED = {
  'agent-gateway': ['DATABASE_URL', 'X402_PAY_TO', 'X402_RPC_URL', 'ANSWER_KEYS', 'RECEIPT_KEYS'],
  accounts: ['DATABASE_URL', 'JWT_KEYS', 'REFRESH_TOKEN_KEYS', 'SMTP_URL'],
  billing: ['DATABASE_URL'],
  reporting: ['DATABASE_URL'],
};
it.each(Object.entries(NEEDED))(
  'no program of %s starts without its settings, and each names them in a sentence',
  async (service, names) => {
    const programs = ['main', 'worker', 'migrate'];
    const env = { NODE_ENV: 'production' };
    const ended = await Promise.all(programs.map((name) => runToEnd(`apps/${service}/src/${name}.ts`, env)));
    ended.forEach(({ code, output }, index) => {
      // Its worker only reads events.
      const more = service === 'reporting' && programs[index] === 'worker' ? ['KAFKA_BROKERS'] : [];
      const [first, ...others] = output.trim().split('\n');
      const sentence = `The configuration is not valid. Not set, and required: ${[...names, ...more].join(', ')}.`;
      expect([code, sorted(first!)]).toEqual([1, sorted(sentence)]);
      expect(others.map((line) => line.slice(0, 2))).toEqual([...names, ...more].map(() => '- '));
    });
  },
  120_000,
);

const sorted = (sentence: string): string[] => sentence.split(/[ ,.]+/).sort();

async function asked(...args: string[]): Promise<{ code: number; said: string }> {
  let said = '';
  const say = (text: string): void => void (said += text);
  return { code: await run(args, {}, { out: say, err: say }), said };
}

it.each([
  ['no service', [], /^name the service: agent-gateway, accounts, billing, reporting\nSee npm run doctor -- --help\n$/],
  ['an unknown service', ['shop'], /^the service must be one of .*, not shop\nSee/],
  ['two services', ['billing', 'accounts'], /^one service at a time, not also: accounts\nSee/],
  ['an unknown flag', ['billing', '--fast'], /^Unknown option '--fast'\nSee/],
])('%s is answered with a sentence and where the help is', async (_what, args, text) => {
  expect(await asked(...args)).toEqual({ code: 2, said: expect.stringMatching(text) });
});

it('explains itself', async () => {
  expect(await asked('--help')).toEqual({
    code: 0,
    said: expect.stringContaining('npm run doctor -- <agent-gateway|'),
  });
});

it('examines a service by its own program', async () => {
  const { code, output } = await runToEnd('tools/ops/src/doctor/main.ts', { NODE_ENV: 'production' }, ['reporting']);
  const named = output.match(/^wrong +settings +[A-Z_]+/gm)?.map((line) => line.split(/ +/)[2]);
  expect([code, named]).toEqual([1, expect.arrayContaining([...NEEDED.reporting])]);
  expect(output).toMatch(/\d to correct for reporting\.\n$/);
}, 180_000);
