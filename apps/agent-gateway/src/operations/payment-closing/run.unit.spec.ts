import { PAYMENT_CLOSE, run } from './run';

const PAYER = `0x${'Ab'.repeat(20)}`;
const NONCE = `0x${'Cd'.repeat(32)}`;

it('reads payer, nonce and outcome in lower case', () => {
  const named = { payer: PAYER.toLowerCase(), nonce: NONCE.toLowerCase() };
  expect(PAYMENT_CLOSE.parse([PAYER, NONCE, 'failed'])).toEqual({
    ...named,
    transactionHash: null,
    logIndex: null,
    force: null,
  });
  expect(PAYMENT_CLOSE.parse([PAYER, NONCE, NONCE, '--force', 'in the explorer'])).toEqual({
    ...named,
    transactionHash: NONCE.toLowerCase(),
    logIndex: null,
    force: 'in the explorer',
  });
  expect(PAYMENT_CLOSE.parse([PAYER, NONCE, `${NONCE}:7`])).toMatchObject({ logIndex: 7 });
});

it.each([
  [[], '<payer> must be an address'],
  [['0x1', NONCE, 'failed'], '<payer> must be an address'],
  [[PAYER, '0x2', 'failed'], '<nonce> must be'],
  [[PAYER, NONCE, 'lost'], 'a transaction hash (0x and 64 hex digits) or the word failed'],
  [[PAYER, NONCE, 'failed', 'now'], 'one payment at a time'],
  [[PAYER, NONCE, 'failed', '--force', ''], '--force must say where'],
  [[PAYER, NONCE, 'failed', '--quiet'], 'Unknown option'],
])('refuses %p with 2 and a hint', async (args, message) => {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  expect(await run(args, {}, { out: say, err: say })).toBe(2);
  expect(said.join('')).toContain(message);
  expect(said.join('')).toContain('--help');
});

it('shows its help without any setting', async () => {
  const said: string[] = [];
  expect(await run(['--help'], {}, { out: (text) => void said.push(text), err: () => undefined })).toBe(0);
  expect(said).toEqual([PAYMENT_CLOSE.help]);
});

it('says which settings are missing', async () => {
  const said: string[] = [];
  expect(await run([PAYER, NONCE, 'failed'], {}, { out: () => undefined, err: (text) => void said.push(text) })).toBe(
    2,
  );
  for (const name of ['DATABASE_URL', 'X402_PAY_TO']) expect(said.join('')).toContain(name);
});
