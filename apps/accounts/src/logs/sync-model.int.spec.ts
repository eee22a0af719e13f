import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { Accounts } from '../accounts.fixture';
import { type HabitsOf, somebody, type Habit } from '../habits/habits.fixture';
import { Follower, type Item } from './sync.fixture';

const FREE_HABITS = 3;

/** The expected state of one person on Free. */
class ExpectedState {
  readonly habits = new Map<string, { name: string; archived: boolean }>();
  /** By the id of the device. */
  readonly logs = new Map<string, { habitId: string; note: string }>();
  readonly deletedClientIds = new Set<string>();

  get active(): number {
    return [...this.habits.values()].filter(({ archived }) => !archived).length;
  }

  get hasRoom(): boolean {
    return this.active < FREE_HABITS;
  }

  /** What becomes of a log that is sent. One that was stored and changed since is a conflict. */
  add({ clientId, habitId, note }: WaitingLog): string {
    const stored = this.logs.get(clientId);
    if (stored) return stored.note === note ? 'existing' : 'rejected';
    if (this.deletedClientIds.has(clientId) || this.habits.get(habitId)?.archived !== false) return 'rejected';
    this.logs.set(clientId, { habitId, note });
    return 'created';
  }
}

interface WaitingLog {
  clientId: string;
  habitId: string;
  note: string;
}

/** A phone: its copy of the service's state, and its unsent changes. */
class Device {
  readonly follower: Follower;
  readonly waiting: WaitingLog[] = [];
  /** Ids of the service for logs of any device of the person, as far as this one has received them. */
  readonly logIds = new Map<string, string>();

  constructor(
    readonly of: HabitsOf,
    private readonly expected: ExpectedState,
  ) {
    this.follower = new Follower(of, 4);
  }

  /** Sends all waiting changes. @param isAnswerLost then all of them wait on, as if nothing had been sent */
  async push(isAnswerLost: boolean): Promise<void> {
    if (this.waiting.length === 0) return;
    const sent = [...this.waiting];
    const logs = sent.map((log) => ({ ...log, occurredAt: '2026-01-31T08:00:00Z', status: 'COMPLETED' }));
    const { body } = await this.of.ask('POST', '/logs/batch', { logs });
    const results = body.results as { status: string; log?: Item }[];
    expect(results.map(({ status }) => status)).toEqual(sent.map((log) => this.expected.add(log)));
    results.forEach(({ log }, index) => log && this.logIds.set(sent[index]!.clientId, log.id));
    if (!isAnswerLost) this.waiting.splice(0, sent.length);
  }
}

const SEQUENCES = sized(10, 1_000);
const MOST_STEPS = 30;

jest.setTimeout(3_600_000);

const accounts = Accounts.forSuite();

type Step = (device: Device, expected: ExpectedState, oneOf: <One>(all: Iterable<One>) => One) => Promise<unknown>;

/** A step about one of the habits, where there is one. */
const ofHabit =
  (step: (device: Device, expected: ExpectedState, id: string) => unknown): Step =>
  async (device, expected, oneOf) =>
    expected.habits.size > 0 && step(device, expected, oneOf(expected.habits.keys()));

/** A step about one of the logs, where the device has received its id. */
const ofLog =
  (step: (device: Device, expected: ExpectedState, log: { clientId: string; path: string }) => unknown): Step =>
  async (device, expected, oneOf) => {
    if (expected.logs.size === 0) return;
    const [clientId, { habitId }] = oneOf(expected.logs);
    const id = device.logIds.get(clientId);
    if (id !== undefined) await step(device, expected, { clientId, path: `/${habitId}/logs/${id}` });
  };

const STEPS: Record<string, Step> = {
  create: async ({ of }, expected) => {
    const hasRoom = expected.hasRoom;
    const { status, body } = await of.ask('POST', '', { name: 'Run' });
    expect(status).toBe(hasRoom ? 201 : 402);
    if (hasRoom) expected.habits.set(String(body.id), { name: 'Run', archived: false });
  },
  rename: ofHabit(async ({ of }, { habits }, id) => {
    const name = `Run ${Math.random()}`;
    expect((await of.ask('PATCH', `/${id}`, { name })).status).toBe(200);
    habits.get(id)!.name = name;
  }),
  archiveOrBack: ofHabit(async ({ of }, expected, id) => {
    const habit = expected.habits.get(id)!;
    const isAllowed = !habit.archived || expected.hasRoom;
    const { status } = await of.ask('POST', `/${id}/${habit.archived ? 'unarchive' : 'archive'}`);
    expect(status).toBe(isAllowed ? 200 : 402);
    if (isAllowed) habit.archived = !habit.archived;
  }),
  deleteHabit: ofHabit(async ({ of }, expected, id) => {
    expect((await of.ask('DELETE', `/${id}`)).status).toBe(204);
    expected.habits.delete(id);
    for (const [clientId, log] of expected.logs) if (log.habitId === id) expected.logs.delete(clientId);
  }),
  log: ofHabit(({ waiting }, _, habitId) =>
    waiting.push({ clientId: randomUUID(), habitId, note: `note ${Math.random()}` }),
  ),
  push: (device) => device.push(false),
  pushWithoutAnswer: (device) => device.push(true),
  pull: ({ follower }) => follower.readPage(),
  changeNote: ofLog(async ({ of }, { logs }, { clientId, path }) => {
    const note = `note ${Math.random()}`;
    expect((await of.ask('PATCH', path, { note })).status).toBe(200);
    logs.get(clientId)!.note = note;
  }),
  deleteLog: ofLog(async ({ of }, expected, { clientId, path }) => {
    expect((await of.ask('DELETE', path)).status).toBe(204);
    expected.logs.delete(clientId);
    expected.deletedClientIds.add(clientId);
  }),
};
const step = fc.record({
  name: fc.constantFrom(...Object.keys(STEPS), 'create', 'log', 'log', 'pull'),
  phone: fc.constantFrom(0 as const, 1 as const),
  pick: fc.nat(20),
});

it('two phones that were offline end with the same habits and logs as the service', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: MOST_STEPS, size: 'max' }), async (steps) => {
      const of = await somebody(accounts);
      const expected = new ExpectedState();
      const devices = [new Device(of, expected), new Device(of, expected)] as const;
      for (const { name, phone, pick } of steps) {
        const oneOf = <One>(all: Iterable<One>): One => {
          const list = [...all];
          return list[pick % list.length]!;
        };
        await STEPS[name]!(devices[phone], expected, oneOf);
      }
      for (const device of devices) await device.push(false);

      const notes = [...expected.logs.values()].map(({ note }) => note).sort();
      const habits = [...expected.habits].map(([id, { name }]) => `${id} ${name}`).sort();
      for (const { follower } of devices) {
        await follower.catchUp();
        expect([...follower.logs.values()].map(({ note }) => note).sort()).toEqual(notes);
        expect([...follower.habits.values()].map(({ id, name }) => `${id} ${name}`).sort()).toEqual(habits);
      }
      const listed: Habit[] = await of.list('?status=all');
      expect(listed.map(({ id, name }) => `${id} ${name}`).sort()).toEqual(habits);
      expect(listed.filter(({ status }) => status === 'ACTIVE')).toHaveLength(expected.active);
    }),
    { numRuns: SEQUENCES, endOnFailure: true },
  );
});
