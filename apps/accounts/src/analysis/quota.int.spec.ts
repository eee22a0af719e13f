import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DatabaseLine, eventually, type Loss } from '@evenkeel/platform/testing';
import type { Reply } from '@evenkeel/platform/testing/service';
import fc from 'fast-check';
import { Accounts } from '../accounts.fixture';
import { AnalysesOf, logsOf, quotaOf } from './analysis.fixture';

const SEED = Number(process.env.QUOTA_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** A machine with other work needs more than one. */
const TRIES = 5;

const accounts = Accounts.forSuite();

const consistent = async (ana: AnalysesOf, period?: string) => {
  const { used, events } = await ana.usage(period);
  expect(events).toEqual(Array.from({ length: used }, (_, n) => n + 1));
  return used;
};
const usedBy = async ({ person: { id } }: AnalysesOf) =>
  (await accounts.sql<{ used: number }>('SELECT used FROM usage_months WHERE user_id = $1', id))[0]?.used ?? 0;

async function withHabit(): Promise<AnalysesOf> {
  const ana = await AnalysesOf.somebody(accounts);
  await ana.habit({ logs: logsOf('d'.repeat(60), '2025-12-01') });
  return ana;
}

/** One answer that decides: where no connection is free in time, nothing has happened, and it is asked once more. */
async function analyze(ana: AnalysesOf): Promise<Reply> {
  for (let tries = 1; ; tries++) {
    const reply = await ana.ask('analyze');
    if (reply.status !== 503 || tries === TRIES) return reply;
  }
}

it('of 40 analyses at once on Free five are answered, in every round, and five are counted', async () => {
  for (let round = 0; round < sized(5, 20); round++) {
    const ana = await withHabit();
    const replies = await Promise.all(Array.from({ length: 40 }, () => analyze(ana)));
    const used = replies.filter(({ status }) => status === 200).map((reply) => quotaOf(reply).used);
    expect([round, used.sort()]).toEqual([round, ['1', '2', '3', '4', '5']]);
    expect(replies.filter(({ status }) => status === 402)).toHaveLength(35);
    expect(await consistent(ana)).toBe(5);
  }
}, 240_000);

it('an analysis that nobody waits for any more is not counted', async () => {
  const ana = await withHabit();
  const arriving = nextConnection();
  await accounts.whileLocked(ana.person.id, async () => {
    const leaving = await analyzeBySocket(ana);
    const arrived = await arriving;
    await eventually(async () => expect(await accounts.waitingForRows()).toBe(1));
    leaving.resetAndDestroy();
    await eventually(() => expect(arrived.closed).toBe(true));
  });
  // It waits for the same row, behind the other one.
  const again = await ana.ask('analyze');
  expect([again.status, quotaOf(again).used]).toEqual([200, '1']);
  expect(await consistent(ana)).toBe(1);
});

it('an analysis whose plan ends while it waits is one of the plan that is left', async () => {
  const ana = await withHabit();
  await accounts.grantPremium(ana.person.id);
  const asked = await accounts.whileLocked(ana.person.id, async (tx) => {
    const asking = ana.ask('analyze');
    await eventually(async () => expect(await accounts.waitingForRows()).toBe(1));
    await tx.query('UPDATE entitlements SET access_until = NULL WHERE user_id = $1', [ana.person.id]);
    return [asking];
  });
  const [reply] = await Promise.all(asked);
  expect([reply!.status, quotaOf(reply!)]).toMatchObject([200, { used: '1', limit: '5' }]);
});

/** Asks for an analysis; the connection is the caller's to break. */
async function analyzeBySocket({ person: { token } }: AnalysesOf): Promise<Socket> {
  const { hostname, port } = new URL(accounts.running.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const head = `host: ${hostname}\r\nauthorization: Bearer ${token}\r\ncontent-length: 0`;
  await new Promise((resolve) => socket.write(`POST /v1/habits/analyze HTTP/1.1\r\n${head}\r\n\r\n`, resolve));
  return socket;
}

/** Where the next request arrives: the end that the server has. */
function nextConnection(): Promise<Socket> {
  const channel = 'http.server.request.start';
  return new Promise((resolve) => {
    const arrive = (message: unknown): void => {
      unsubscribe(channel, arrive);
      resolve((message as { socket: Socket }).socket);
    };
    subscribe(channel, arrive);
  });
}

it('an analysis whose database stood still before COMMIT is a 503, and is not counted', async () => {
  const line = await DatabaseLine.to(accounts.database.url);
  const work = async (slow: Accounts) => {
    const ana = await AnalysesOf.somebody(slow, { email: 'stood-still@example.com' });
    await slow.ask('POST', '/v1/habits', { token: ana.person.token, body: { name: 'Run' } });
    const came = line.hold('clock_timestamp() <');
    const asked = ana.ask('analyze');
    const goOn = await came;
    const began = performance.now();
    // As long as the count may wait for its COMMIT.
    await eventually(() => performance.now() - began > 2_100);
    goOn();
    expect([(await asked).status, await usedBy(ana)]).toEqual([503, 0]);
    expect([(await ana.ask('analyze')).status, await usedBy(ana)]).toEqual([200, 1]);
  };
  await accounts.beside({ DATABASE_URL: line.url }, work).finally(() => line.cut());
});

it.each<[Loss, number[]]>([
  ['unwritten', [503]],
  ['unanswered', [200]],
  ['written-later', [200, 503]],
])('an analysis whose COMMIT is %s is counted if and only if it is answered', async (loss, statuses) => {
  const line = await DatabaseLine.to(accounts.database.url);
  const work = async (broken: Accounts) => {
    const ana = await AnalysesOf.somebody(broken, { email: `${loss}@example.com` });
    await broken.ask('POST', '/v1/habits', { token: ana.person.token, body: { name: 'Run' } });
    line.lose({ statement: 'COMMIT', loss });
    const { status } = await ana.ask('analyze');
    await line.quiet();
    expect(statuses).toContain(status);
    const counted = status === 200 ? 1 : 0;
    expect(await usedBy(ana)).toBe(counted);
    // Nothing holds the row any more.
    const again = await ana.ask('analyze');
    expect([again.status, await usedBy(ana)]).toEqual([200, counted + 1]);
  };
  await accounts.beside({ DATABASE_URL: line.url }, work).finally(() => line.cut());
});

/** The requests of two clients of one person at once. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('analyze' as const), clients: fc.integer({ min: 1, max: 2 }) }),
  },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'bad' as const }, { kind: 'foreign' as const }) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'recommend' as const }, { kind: 'insights' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('tier' as const), premium: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'month' as const }) },
);

type Step = typeof step extends fc.Arbitrary<infer Asked> ? Asked : never;

const NUMBER_OF_RUNS = sized(12, 1_000);

it(
  `counts as a model does, whatever is asked (QUOTA_SEED=${SEED})`,
  async () => {
    const start = accounts.clock.now();
    const follows = async (steps: Step[]) => {
      accounts.clock.set(start);
      const ana = await AnalysesOf.somebody(accounts);
      await ana.habit({ logs: logsOf('dd', '2026-01-20') });
      let premium = false;
      let period = '2026-01';
      const used = { '2026-01': 0, '2026-02': 0 };
      for (const asked of steps) {
        const before = used[period as keyof typeof used];
        switch (asked.kind) {
          case 'analyze': {
            const replies = await Promise.all(Array.from({ length: asked.clients }, () => ana.ask('analyze')));
            const allowed = premium ? asked.clients : Math.max(0, Math.min(asked.clients, 5 - before));
            expect(replies.filter(({ status }) => status === 200)).toHaveLength(allowed);
            expect(replies.filter(({ status }) => status === 402)).toHaveLength(asked.clients - allowed);
            used[period as keyof typeof used] += allowed;
            break;
          }
          case 'bad':
            expect((await ana.ask('analyze', { windowDays: 0 })).status).toBe(400);
            break;
          case 'foreign':
            expect((await ana.ask('analyze', { habitId: ana.person.id })).status).toBe(404);
            break;
          case 'tier':
            premium = asked.premium;
            await accounts.grantPremium(ana.person.id, premium ? 'infinity' : start);
            break;
          case 'month':
            period = '2026-02';
            // The last tokens of January hold for another quarter of an hour.
            accounts.clock.set(new Date('2026-02-01T00:00:00Z'));
            await ana.signInAgain();
            break;
          default:
            expect((await ana.ask(asked.kind)).status).toBe(200);
        }
      }
      for (const [month, counted] of Object.entries(used)) expect(await consistent(ana, month)).toBe(counted);
    };
    const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), follows);
    await fc.assert(property, { numRuns: NUMBER_OF_RUNS, seed: SEED });
    accounts.clock.set(start);
  },
  60_000 + NUMBER_OF_RUNS * 1_800,
);
