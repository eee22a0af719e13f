import { runCompat } from './command';

async function run(...args: string[]) {
  let out = '';
  let err = '';
  const streams = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  return { code: await runCompat(args, {}, streams), out, err };
}

it('explains itself', async () => expect((await run('--help')).out).toContain('npm run compat:check -- --ref v1.4.0'));

it.each([
  [['--only', 'shop'], '--only shop: there are agent-gateway, accounts, billing, reporting.'],
  [['--ref', 'no-such-commit'], 'There is no commit no-such-commit here.'],
  [['--workers', '0'], '--workers must be an integer from 1 to 64'],
  [['v1'], "Unexpected argument 'v1'"],
])('is told what it cannot use: %p', async (args, sentence) => {
  expect(await run(...args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(sentence) as string });
});
