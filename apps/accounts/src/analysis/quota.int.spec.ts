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

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

const consistent = async (ana: AnalysesOf, period?: string) => {
  const { used, events } = await ana.usage(period);
  expect(events).toEqual(Array.from({ length: used }, (_, n) => n + 1));
  return used;
};

/** One answer that decides: where no connection is free in time, nothing has happened, and it is asked once more. */
async function analyze(ana: AnalysesOf): Promise<Reply> {
  for (let tries = 1; ; tries++) {
    const reply = await ana.ask('analyze');
    if (reply.status !== 503 || tries === TRIES) return reply;
  }
}

it('of 40 analyses at once on Free five are answered, in every round, and five are counted', async () => {
  for (let round = 0; round < sized(5, 20); round++) {
    const ana = await AnalysesOf.somebody(accounts);
    await ana.habit({ logs: logsOf('d'.repeat(60), '2025-12-01') });
    const replies = await Promise.all(Array.from({ length: 40 }, () => analyze(ana)));
    const statuses = replies.map(({ status }) => status).sort();
    expect({ round, statuses }).toEqual({
      round,
      statuses: [...Array<number>(5).fill(200), ...Array<number>(35).fill(402)],
    });
    const used = replies.filter(({ status }) => status === 200).map((reply) => quotaOf(reply).used);
    expect(used.sort()).toEqual(['1', '2', '3', '4', '5']);
    expect(await consistent(ana)).toBe(5);
  }
}, 240_000);

it('an analysis that nobody waits for any more is not counted', async () => {
  const ana = await AnalysesOf.somebody(accounts);
  await ana.habit({ logs: logsOf('d'.repeat(60), '2025-12-01') });
  const row = accounts.database.dataSource.createQueryRunner();
  await row.startTransaction();
  await row.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [ana.person.id]);
  const arriving = nextConnection();
  const leaving = await analyzeBySocket(ana);
  const arrived = await arriving;
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await eventually(async () => expect(await ana.query(waiting, [])).toHaveLength(1));
  leaving.resetAndDestroy();
  await eventually(() => expect(arrived.closed).toBe(true));
  await row.rollbackTransaction();
  await row.release();
  // It waits for the same row, behind the other one.
  const again = await ana.ask('analyze');
  expect([again.status, quotaOf(again).used]).toEqual([200, '1']);
  expect(await consistent(ana)).toBe(1);
});

it('an analysis whose database stood still before COMMIT is a 503, and is not counted', async () => {
  const { url: DATABASE_URL } = accounts.database;
  const line = await DatabaseLine.to(DATABASE_URL);
  const slow = await Accounts.start({ DATABASE_URL: line.url });
  try {
    const ana = await AnalysesOf.somebody(slow, { email: 'stood-still@example.com' });
    const came = line.hold('clock_timestamp() <');
    const asked = ana.ask('analyze');
    const goOn = await came;
    const began = performance.now();
    // As long as the count may wait for its COMMIT.
    await eventually(() => performance.now() - began > 2_100);
    goOn();
    expect((await asked).status).toBe(503);
    const used = () =>
      accounts.database.dataSource.query(`SELECT used FROM usage_months WHERE user_id = $1`, [ana.person.id]);
    expect(await used()).toEqual([]);
    expect((await ana.ask('analyze')).status).toBe(200);
    expect(await used()).toEqual([{ used: 1 }]);
  } finally {
    await slow.close();
    line.cut();
  }
});

it.each<[Loss, number[]]>([
  ['unwritten', [503]],
  ['unanswered', [200]],
  ['written-later', [200, 503]],
])(
  'an analysis whose COMMIT is %s when the connection breaks is counted if and only if it is answered',
  async (loss, statuses) => {
    const line = await DatabaseLine.to(accounts.database.url);
    const broken = await Accounts.start({ DATABASE_URL: line.url });
    try {
      const ana = await AnalysesOf.somebody(broken, { email: `${loss}@example.com` });
      const used = async () => {
        const select = 'SELECT used FROM usage_months WHERE user_id = $1';
        const [row] = await accounts.database.dataSource.query<{ used: number }[]>(select, [ana.person.id]);
        return row?.used ?? 0;
      };
      line.lose({ statement: 'COMMIT', loss });
      const { status } = await ana.ask('analyze');
      await line.quiet();
      expect(statuses).toContain(status);
      expect(await used()).toBe(status === 200 ? 1 : 0);
      // Nothing holds the row any more.
      const again = await ana.ask('analyze');
      expect([again.status, quotaOf(again).used]).toEqual([200, String(await used())]);
      expect(await used()).toBe(status === 200 ? 2 : 1);
    } finally {
      await broken.close();
      line.cut();
    }
  },
);

/** Asks for an analysis; the connection is the caller's to break. */
async function analyzeBySocket(ana: AnalysesOf): Promise<Socket> {
  const { hostname, port } = new URL(accounts.running.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const head = [
    'POST /v1/habits/analyze HTTP/1.1',
    `host: ${hostname}`,
    `authorization: Bearer ${ana.person.token}`,
    'content-length: 0',
    '',
    '',
  ];
  await new Promise((resolve) => socket.write(head.join('\r\n'), resolve));
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

it(
  `counts as a model does, whatever is asked (QUOTA_SEED=${SEED})`,
  async () => {
    const start = accounts.clock.now();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        accounts.clock.set(start);
        const ana = await AnalysesOf.somebody(accounts);
        await ana.habit({ logs: logsOf('dd', '2026-01-20') });
        let premium = false;
        let period = '2026-01';
        const used = new Map<string, number>();
        for (const asked of steps) {
          const before = used.get(period) ?? 0;
          switch (asked.kind) {
            case 'analyze': {
              const replies = await Promise.all(Array.from({ length: asked.clients }, () => ana.ask('analyze')));
              const allowed = premium ? asked.clients : Math.max(0, Math.min(asked.clients, 5 - before));
              expect(replies.filter(({ status }) => status === 200)).toHaveLength(allowed);
              expect(replies.filter(({ status }) => status === 402)).toHaveLength(asked.clients - allowed);
              used.set(period, before + allowed);
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
              if (period === '2026-02') break;
              period = '2026-02';
              // The last tokens of January hold for another quarter of an hour.
              accounts.clock.set(new Date('2026-02-01T00:00:00Z'));
              await ana.signInAgain();
              break;
            default:
              expect((await ana.ask(asked.kind)).status).toBe(200);
          }
        }
        for (const month of ['2026-01', '2026-02']) expect(await consistent(ana, month)).toBe(used.get(month) ?? 0);
      }),
      { numRuns: sized(12, 1_000), seed: SEED },
    );
    accounts.clock.set(start);
  },
  sized(60_000, 1_800_000),
);
