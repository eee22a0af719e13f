import { CRASH_POINTS, type CrashPoint } from '@evenkeel/agent-gateway';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { audit } from '@evenkeel/ops/audit';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { gatewayDatabase, gatewayEnv, startGateway, startWorker, type Gateway } from './gateway-programs.fixture';
import { ledgerRows } from './ledger-rows.fixture';
import { aPaidRequest, type PaidRequest } from './paid-request.fixture';
import { stopPrograms, type Exit } from './program.fixture';
import { repeatUntil } from './repeat.fixture';
import { send, type Answer } from './send.fixture';

const { priceMicros, exampleResult } = PAID_ENDPOINTS[0]!;
const RESULT = JSON.stringify(exampleResult);
const SETTLED_ONCE = { state: 'settled', served: true, calls: 1, announced: 1, spent: priceMicros };

interface Crash {
  request: PaidRequest;
  exit: Exit;
  /** The client got no answer. */
  answer: Answer | undefined;
}

let facilitator: FacilitatorProgram;

/** A ledger, what crashed over it, and the gateway and worker that were started afterwards. */
class Site {
  readonly crashes = new Map<CrashPoint, Crash>();
  private restarted!: Gateway;

  private constructor(
    readonly database: TestDatabase,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  static async open(): Promise<Site> {
    const database = await gatewayDatabase();
    return new Site(database, gatewayEnv(database, facilitator));
  }

  startGateway(env: NodeJS.ProcessEnv = {}): Promise<Gateway> {
    return startGateway({ ...this.env, ...env });
  }

  /**
   * A process of its own for each point, which dies there on its first paid request.
   * @param start nothing is sent before
   */
  async crashAt(points: readonly CrashPoint[], start: Promise<unknown>): Promise<void> {
    // One after the other: programs that start together on two cores make each other miss their deadlines.
    for (const point of points) {
      const { url, program } = await this.startGateway({ CRASH_AT: `agent-gateway:${point}` });
      await start;
      const request = await aPaidRequest();
      let answer: Answer | undefined;
      // A busy machine may miss the deadline of verify: nothing has happened then, and the client tries again.
      do answer = await send(url, request).catch(() => undefined);
      while (answer?.status === 502);
      if (answer) program.kill('SIGKILL');
      this.crashes.set(point, { request, answer, exit: await program.exit });
    }
  }

  async restart(): Promise<void> {
    [this.restarted] = await Promise.all([this.startGateway(), startWorker(this.env)]);
  }

  repeatUntil(request: PaidRequest, isExpected: (answer: Answer) => boolean): Promise<Answer> {
    return repeatUntil(this.restarted.url, request, isExpected);
  }
}

let site: Site;
let pending: { request: PaidRequest; answer: Answer };
let answerLost: PaidRequest;

beforeAll(async () => {
  facilitator = await FacilitatorProgram.start();
  site = await Site.open();
  const left = leaveOpen();
  // The points after which time must pass come first.
  const points = [...CRASH_POINTS].reverse();
  await Promise.all([left, site.crashAt(points, left)]);
  await site.restart();
}, 180_000);

/** Kills a gateway while one settlement is under way and one is done, but not answered. */
async function leaveOpen(): Promise<void> {
  const { url, program } = await site.startGateway();
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

afterAll(async () => {
  await stopPrograms();
  await site?.database.drop();
}, 60_000);

const isAnswered = ({ status }: Answer): boolean => status === 200;
const isSettled = ({ receipt }: Answer): boolean => receipt?.status === 'settled';

/** By the facilitator's own record: money moved once, and every call about it had the same bytes. */
async function expectChargedOnce({ nonce }: PaidRequest): Promise<void> {
  const { settlements, payments } = await facilitator.ledger(nonce);
  expect(settlements).toMatchObject([{ value: String(priceMicros), submittedBy: 'facilitator' }]);
  expect(payments).toMatchObject([{ bodies: 1 }]);
}

describe.each(CRASH_POINTS)('a gateway killed at %s', (point) => {
  it('answers the repeated request after a restart, charged once', async () => {
    const { request, exit, answer } = site.crashes.get(point)!;
    expect({ answer, signal: exit.signal }).toEqual({ answer: undefined, signal: 'SIGKILL' });

    const repeated = await site.repeatUntil(request, isAnswered);
    expect(repeated).toMatchObject({ text: RESULT, receipt: { success: true } });
    expect(repeated.headers.has('idempotent-replayed')).toBe(point === 'after_commit');

    // A busy machine may miss the deadline of settle: the answer then goes out before its settlement is known.
    expect(await site.repeatUntil(request, isSettled)).toMatchObject({ status: 200, text: RESULT });
    await expectChargedOnce(request);
    expect(await ledgerRows(site.database, request)).toEqual([SETTLED_ONCE]);
  }, 90_000);
});

describe('a restart while a settlement is open', () => {
  it('ends settled when the facilitator settled and its answer was lost', async () => {
    expect(await site.repeatUntil(answerLost, isAnswered)).toMatchObject({ text: RESULT });
    await expectChargedOnce(answerLost);
    expect(await ledgerRows(site.database, answerLost)).toEqual([SETTLED_ONCE]);
  }, 90_000);

  it('ends settled when the facilitator was still at work', async () => {
    const { request, answer } = pending;
    expect(answer).toMatchObject({ status: 200, receipt: { status: 'settlement_pending', transaction: '' } });

    const repeated = await site.repeatUntil(request, isSettled);

    expect(repeated).toMatchObject({ status: 200, text: answer.text });
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    await expectChargedOnce(request);
    expect(await ledgerRows(site.database, request)).toEqual([SETTLED_ONCE]);
  }, 90_000);
});

describe('the audit', () => {
  it('finds nothing in what all of them left behind', async () => {
    await eventually(async () => expect(await audit(site.database.dataSource)).toEqual([]), { withinMs: 30_000 });
  }, 90_000);
});
