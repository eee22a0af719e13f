import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { audit } from '@evenkeel/ops/audit';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { gatewayDatabase, gatewayEnv, startGateway, startWorker } from './gateway-programs.fixture';
import { aPaidRequest, aWallet, type PaidRequest } from './paid-request.fixture';
import { stopPrograms, type Program } from './program.fixture';
import { send, type Answer } from './send.fixture';

const analyze = PAID_ENDPOINTS.find(({ operation }) => operation === 'analyze')!;
const RESULT = JSON.stringify(analyze.exampleResult);
/** At 0.10 USD: the first hundred reach the tier that pays back 5 %, twenty more are one credit. */
const CALLS_FOR_TWO_CREDITS = 140;
const AT_ONCE = 4;

let env: NodeJS.ProcessEnv;
let database: TestDatabase;
const programs: Program[] = [];
const payments: PaidRequest[] = [];
const tokens: string[] = [];

async function aGateway(settings: NodeJS.ProcessEnv = {}): Promise<{ url: string; program: Program }> {
  const gateway = await startGateway({ ...env, ...settings });
  programs.push(gateway.program);
  return gateway;
}

/** Pays until the wallet has earned two credits. */
async function earn(url: string): Promise<void> {
  const wallet = aWallet();
  const pay = async (): Promise<void> => {
    while (payments.length < CALLS_FOR_TWO_CREDITS) {
      payments.push(await aPaidRequest({ operation: 'plan', wallet }));
      const { status, text, body } = await answered(url, payments.at(-1)!);
      if (status !== 200) throw new Error(`${status}: ${text}`);
      const { credit_token: token } = (body['rebate_earned'] ?? {}) as { credit_token?: string };
      if (token) tokens.push(token);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, pay));
}

/** A busy machine may miss the deadline of the facilitator: then the client tries again. */
async function answered(url: string, request: PaidRequest): Promise<Answer> {
  let answer: Answer;
  do answer = await send(url, request);
  while (answer.status === 502);
  return answer;
}

const redemption = (token: string, key: string) => ({
  path: analyze.path,
  body: JSON.stringify(analyze.exampleInput),
  headers: { 'content-type': 'application/json', 'x-agent-credit': token, 'idempotency-key': key },
});

beforeAll(async () => {
  const facilitator = await FacilitatorProgram.start();
  database = await gatewayDatabase();
  env = gatewayEnv(database, facilitator);
  const { url } = await aGateway();
  programs.push(await startWorker(env));
  await earn(url);
}, 180_000);

afterAll(async () => {
  await stopPrograms();
  await database?.drop();
}, 60_000);

it.each(['before_commit', 'after_commit'])(
  'a gateway killed at %s of a call paid by credit answers its repeat, and the credit is used once',
  async (point) => {
    const token = tokens[point === 'before_commit' ? 0 : 1]!;
    const request = redemption(token, `until-answered-${point}`);
    const { url: doomed, program } = await aGateway({ CRASH_AT: `agent-gateway:${point}` });
    expect(await send(doomed, request).catch(() => null)).toBeNull();
    expect(await program.exit).toEqual({ code: null, signal: 'SIGKILL' });
    const before = await redeemedCredits();
    expect(before).toBe(point === 'before_commit' ? 0 : 2);

    const { url } = await aGateway();
    const repeated = await send(url, request);
    expect([repeated.status, repeated.text]).toEqual([200, RESULT]);
    expect(repeated.headers.get('x-agent-credit-status')).toBe('redeemed');
    expect(repeated.headers.has('idempotent-replayed')).toBe(point === 'after_commit');
    expect((await send(url, request)).text).toBe(RESULT);

    const other = await send(url, redemption(token, 'another-key'));
    expect([other.status, other.body['error']]).toEqual([402, 'credit_spent']);
    expect(await redeemedCredits()).toBe(point === 'before_commit' ? 1 : 2);
    await eventually(async () => expect(await audit(database.dataSource)).toEqual([]), { withinMs: 30_000 });
  },
  90_000,
);

/** Calls that a credit has paid for; no credit has two. */
async function redeemedCredits(): Promise<number> {
  const [row] = await database.dataSource.query<{ calls: number; credits: number }[]>(
    'SELECT count(*)::integer AS calls, count(DISTINCT credit_id)::integer AS credits FROM calls WHERE credit_id IS NOT NULL',
  );
  expect(row!.calls).toBe(row!.credits);
  return row!.calls;
}

it('no line of any of them has a credit token or a payment in it', async () => {
  const { url, program } = await aGateway();
  const forged = await aPaidRequest({ chainId: 1 });
  const unknown = redemption(`hrc_${'A'.repeat(43)}`, 'of-nobody');
  expect([(await send(url, forged)).status, (await send(url, unknown)).status]).toEqual([402, 402]);
  await eventually(() => program.output.match(/"status":402/g)?.length === 2);

  const printed = programs.map(({ output }) => output).join('');
  // Every answered call has its line: what is looked for had its chance to be there.
  expect(printed.match(/"status":200/g)!.length).toBeGreaterThanOrEqual(CALLS_FOR_TWO_CREDITS);
  const headers = [...payments, forged].map((request) => request.headers['x-payment']!);
  const credits = [...tokens, unknown.headers['x-agent-credit']].map((token) => token.replace('hrc_', ''));
  for (const secret of [...headers, ...headers.map(signatureIn), ...credits]) expect(printed).not.toContain(secret);
}, 60_000);

function signatureIn(header: string): string {
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as { payload: { signature: string } };
  return payload.signature.slice(2);
}
