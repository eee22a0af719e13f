import { ENTITIES, MIGRATIONS } from '@evenkeel/agent-gateway';
import type { Ledger } from '@evenkeel/facilitator';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import type { Command } from '@evenkeel/services';
import { Program, stopPrograms } from '@evenkeel/services/programs';
import { dishonestSeller, type Lie } from './dishonest-seller.fixture';
import { PROGRAMS, purchase } from './programs';

const INSTALLATION_LIMIT_MS = 600_000;
const secret = (byte: number) => `e2e:${Buffer.alloc(32, byte).toString('base64')}`;
/** `npm run buyers -- --all` tests the compiled programs. */
const INTERPRETED = PROGRAMS.filter(({ isCompiled }) => !isCompiled);

const commands = new Map<string, Command>();
let database: TestDatabase;
let facilitator: string;
let seller: string;

beforeAll(async () => {
  const say = (line: string) => process.stderr.write(`${line}\n`);
  for (const { name, prepare } of INTERPRETED) commands.set(name, await prepare(process.env, say));
}, INSTALLATION_LIMIT_MS);

beforeAll(async () => {
  const payments = Program.start('tools/facilitator/src/main.ts', { FACILITATOR_PORT: '0', FACILITATOR_CONTROL: 'on' });
  database = await createTestDatabase({ name: 'agent-gateway', entities: ENTITIES, migrations: MIGRATIONS });
  facilitator = (await payments.ready()).url;
  const gateway = Program.service('apps/agent-gateway/src/main.ts', {
    PUBLIC_BASE_URL: 'http://localhost:3000',
    DATABASE_URL: database.url,
    FACILITATOR_URL: facilitator,
    X402_RPC_URL: `${facilitator}/rpc`,
    X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    ANSWER_KEYS: secret(7),
    RECEIPT_KEYS: secret(9),
  });
  seller = (await gateway.ready()).url;
}, 90_000);

afterAll(async () => {
  await stopPrograms();
  await database?.drop();
}, 60_000);

it.each(INTERPRETED)(
  'the program of docs/buy/$name pays the stated price once, though it asks twice, and checks its receipt',
  async ({ name }) => {
    const bought = await purchase(commands.get(name)!, seller);
    const { settlements } = (await (await fetch(`${facilitator}/ledger`)).json()) as Ledger;
    const own = settlements.filter(({ payer }) => payer.toLowerCase() === bought.wallet.toLowerCase());
    expect(own).toMatchObject([{ value: '30000' }]);
    const [, nonce = ''] = /nonce (0x[0-9a-f]{64})/.exec(bought.charged) ?? [];
    expect(bought).toEqual({
      wallet: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      price: expect.stringMatching(/^30000 millionths of a dollar, in 0x\w{40} on eip155:8453$/),
      answer: expect.stringMatching(/^200, [1-9]\d+ bytes$/),
      receipt: 'holds, signed with key e2e',
      repeat: '200, the same bytes, not charged again',
      charged: `true, settled, nonce ${nonce}, transaction ${own[0]!.transaction}`,
    });
  },
  120_000,
);

it.each<[Lie, RegExp]>([
  ['answer', /another response_digest/],
  ['key', /is not signed by the seller|[Ss]ignature verification failed/],
  ['price', /more than this program may spend/],
  ['token', /no price in the money of this program/],
  ['choice', /more than this program may spend/],
])(
  'none is content with a seller that lies about its %s',
  async (lie, complaint) => {
    const { url, close } = await dishonestSeller(seller, lie);
    const outcomes = await Promise.allSettled(INTERPRETED.map(({ name }) => purchase(commands.get(name)!, url)));
    close();
    const reasons = outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : 'content'));
    expect(reasons).toEqual(INTERPRETED.map(() => expect.stringMatching(complaint) as string));
  },
  120_000,
);

it.each<[string, Lie]>([
  ['broke off', 'end'],
  ['a proxy replaced by one that cannot be read', 'proxy'],
])(
  'each repeats a payment whose answer %s',
  async (_, lie) => {
    const { url, close } = await dishonestSeller(seller, lie);
    const bought = await Promise.all(INTERPRETED.map(({ name }) => purchase(commands.get(name)!, url)));
    close();
    expect(bought).toEqual(
      INTERPRETED.map(() => expect.objectContaining({ receipt: 'holds, signed with key e2e' }) as object),
    );
  },
  120_000,
);

it('a program that leaves a step out, or fails, has not bought', async () => {
  const short = { program: 'sh', args: ['-c', 'echo "wallet  0x1"'], env: process.env };
  await expect(purchase(short, seller)).rejects.toThrow('It should print wallet, price, answer, receipt, repeat');
  await expect(purchase(commands.get('curl')!, 'http://127.0.0.1:1')).rejects.toThrow(/It ended with \d+:[^]*connect/);
});
