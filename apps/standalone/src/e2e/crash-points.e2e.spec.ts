import { CRASH_POINTS, type CrashPoint } from '@evenkeel/agent-gateway';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { audit } from '@evenkeel/ops/audit';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { aPaidRequest, aWallet, repeatUntil, send, type Answer, type PaidRequest } from './paid-request.fixture';
import { databaseOf, settingsOf, start, startBoth, stopPrograms, type Exit, type Started } from './programs.fixture';

jest.setTimeout(90_000);

const { path, priceMicros, exampleInput, exampleResult } = PAID_ENDPOINTS[0]!;
const RESULT = JSON.stringify(exampleResult);
const isAnswered = ({ status }: Answer): boolean => status === 200;
const isSettled = ({ receipt }: Answer): boolean => receipt?.status === 'settled';

interface Crash {
  request: PaidRequest;
  exit: Exit;
  /** The client got no answer. */
  answer: Answer | undefined;
}

let facilitator: FacilitatorProgram;
let database: TestDatabase;
const crashes = new Map<CrashPoint, Crash>();
let restarted: Started;
let pending: { request: PaidRequest; answer: Answer };
let answerLost: PaidRequest;

const startGateway = (more: object = {}) =>
  start('agent-gateway', settingsOf('agent-gateway', database, { ...facilitator.settings, ...more }));

beforeAll(async () => {
  [facilitator, database] = await Promise.all([FacilitatorProgram.start(), databaseOf('agent-gateway')]);
  await leaveOpen();
  // One after the other: programs that start together on two cores make each other miss their deadlines.
  // The points after which time must pass come first.
  for (const point of [...CRASH_POINTS].reverse()) crashes.set(point, await crashAt(point));
  restarted = await startBoth('agent-gateway', settingsOf('agent-gateway', database, facilitator.settings));
}, 180_000);
afterAll(async () => {
  await stopPrograms();
  await database?.drop();
}, 60_000);

/** Kills a gateway while one settlement is under way and one is done, but not answered. */
async function leaveOpen(): Promise<void> {
  const { url, program } = await startGateway();
  const request = await aPaidRequest();
  await facilitator.control({ mode: 'pending-then-success', count: 1, ms: 4_000 });
  pending = { request, answer: await send(url, request) };

  answerLost = await aPaidRequest();
  await facilitator.control({ mode: 'settled-but-answer-lost', then: 'hang', count: 1 });
  const unanswered = send(url, answerLost).catch(() => undefined);
  await eventually(async () => (await facilitator.ledger(answerLost.nonce)).settlements.length === 1);
  program.kill('SIGKILL');
  await unanswered;
}

/** A process of its own, which dies there on its first paid request. */
async function crashAt(point: CrashPoint): Promise<Crash> {
  const { url, program } = await startGateway({ CRASH_AT: `agent-gateway:${point}` });
  const request = await aPaidRequest();
  let answer: Answer | undefined;
  // A busy machine may miss the deadline of verify: nothing has happened then, and the client tries again.
  do answer = await send(url, request).catch(() => undefined);
  while (answer?.status === 502);
  if (answer) program.kill('SIGKILL');
  return { request, answer, exit: await program.exit };
}

/** The money moved once, every call about it had the same bytes, and the ledger has one of everything. */
async function expectChargedOnce({ nonce }: PaidRequest): Promise<void> {
  const { settlements, payments } = await facilitator.ledger(nonce);
  expect(settlements).toMatchObject([{ value: String(priceMicros), submittedBy: 'facilitator' }]);
  expect(payments).toMatchObject([{ bodies: 1 }]);
  const rows = await database.dataSource.query<unknown[]>(
    `SELECT p.state, p.served,
       (SELECT count(*)::integer FROM calls c WHERE c.payment_id = p.id) AS calls,
       (SELECT count(*)::integer FROM outbox o WHERE o.subject = p.id::text AND o.type = 'payment.settled') AS announced,
       (SELECT w.settled_micros::integer FROM wallets w WHERE w.address = p.payer) AS spent
     FROM payments p WHERE p.nonce = $1`,
    [nonce],
  );
  expect(rows).toEqual([{ state: 'settled', served: true, calls: 1, announced: 1, spent: priceMicros }]);
}

it.each(CRASH_POINTS)('killed at %s, it answers the repeat after a restart, charged once', async (point) => {
  const { request, exit, answer } = crashes.get(point)!;
  expect({ answer, signal: exit.signal }).toEqual({ answer: undefined, signal: 'SIGKILL' });
  const repeated = await repeatUntil(restarted.url, request, isAnswered);
  expect(repeated).toMatchObject({ text: RESULT, receipt: { success: true } });
  expect(repeated.headers.has('idempotent-replayed')).toBe(point === 'after_commit');
  // A busy machine may miss the deadline of settle: the answer then goes out before its settlement is known.
  expect(await repeatUntil(restarted.url, request, isSettled)).toMatchObject({ status: 200, text: RESULT });
  await expectChargedOnce(request);
});

it('a payment whose settlement was done, and its answer lost, ends settled', async () => {
  expect(await repeatUntil(restarted.url, answerLost, isAnswered)).toMatchObject({ text: RESULT });
  await expectChargedOnce(answerLost);
});

it('a payment at which the facilitator was still at work ends settled', async () => {
  const { request, answer } = pending;
  expect(answer).toMatchObject({ status: 200, receipt: { status: 'settlement_pending', transaction: '' } });
  const repeated = await repeatUntil(restarted.url, request, isSettled);
  expect(repeated).toMatchObject({ status: 200, text: answer.text });
  expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  await expectChargedOnce(request);
});

it('the audit finds nothing in what all of them left behind', async () => {
  await eventually(async () => expect(await audit(database.dataSource)).toEqual([]), { withinMs: 30_000 });
}, 60_000);

/** Earned by a payment of a wallet that has spent enough. */
async function aCredit(): Promise<string> {
  const wallet = aWallet();
  await database.dataSource.query(
    'INSERT INTO wallets (address, settled_micros, accrued_micros, earned_micros) VALUES ($1, 20000000, 97500, 97500)',
    [wallet.address.toLowerCase()],
  );
  const { body } = await repeatUntil(restarted.url, await aPaidRequest({ wallet }), isAnswered);
  return (body['rebate_earned'] as { credit_token: string }).credit_token;
}

it.each(['before_commit', 'after_commit'])('killed at %s of a call by credit, it is used once', async (point) => {
  const token = await aCredit();
  const redemption = (key: string) => ({
    path,
    body: JSON.stringify(exampleInput),
    headers: { 'content-type': 'application/json', 'x-agent-credit': token, 'idempotency-key': key },
  });
  const request = redemption(`until-answered-${point}`);
  const { url: doomed, program } = await startGateway({ CRASH_AT: `agent-gateway:${point}` });
  expect(await send(doomed, request).catch(() => null)).toBeNull();
  expect(await program.exit).toEqual({ code: null, signal: 'SIGKILL' });

  const repeated = await send(restarted.url, request);
  expect([repeated.status, repeated.text]).toEqual([200, RESULT]);
  expect(repeated.headers.get('x-agent-credit-status')).toBe('redeemed');
  expect(repeated.headers.has('idempotent-replayed')).toBe(point === 'after_commit');
  const other = await send(restarted.url, redemption('another-key'));
  expect([other.status, other.body['error']]).toEqual([402, 'credit_spent']);
});
