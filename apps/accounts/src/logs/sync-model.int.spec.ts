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

  isOpen(habitId: string): boolean {
    return this.habits.get(habitId)?.archived === false;
  }

  deleteHabit(habitId: string): void {
    this.habits.delete(habitId);
    for (const [clientId, log] of this.logs) if (log.habitId === habitId) this.logs.delete(clientId);
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
  private readonly logIds = new Map<string, string>();

  constructor(
    readonly of: HabitsOf,
    private readonly expected: ExpectedState,
  ) {
    this.follower = new Follower(of, 4);
  }

  logOffline(habitId: string, note: string): void {
    this.waiting.push({ clientId: randomUUID(), habitId, note });
  }

  /** Sends all waiting changes. @param isAnswerLost then all of them wait on, as if nothing had been sent */
  async push(isAnswerLost: boolean): Promise<void> {
    if (this.waiting.length === 0) return;
    const sent = [...this.waiting];
    const logs = sent.map((log) => ({ ...log, occurredAt: '2026-01-31T08:00:00Z', status: 'COMPLETED' }));
    const { body } = await this.of.ask('POST', '/logs/batch', { logs });
    const results = body.results as { status: string; log?: Item }[];
    const outcomes = sent.map((log) => this.expect(log));
    if (outcomes.join() !== results.map(({ status }) => status).join()) {
      throw new Error(`expected ${outcomes.join()}, got ${JSON.stringify(results)}`);
    }
    results.forEach(({ log }, index) => log && this.logIds.set(sent[index]!.clientId, log.id));
    if (!isAnswerLost) this.waiting.splice(0, sent.length);
  }

  idOfLog(clientId: string): string | undefined {
    return this.logIds.get(clientId);
  }

  /** A log that was stored and changed since is a conflict when the phone sends what it had at first. */
  private expect({ clientId, habitId, note }: WaitingLog): string {
    const { logs, deletedClientIds } = this.expected;
    const stored = logs.get(clientId);
    if (stored) return stored.note === note ? 'existing' : 'rejected';
    if (deletedClientIds.has(clientId) || !this.expected.isOpen(habitId)) return 'rejected';
    logs.set(clientId, { habitId, note });
    return 'created';
  }
}

const SEQUENCES = sized(10, 1_000);
const STEPS = 30;

jest.setTimeout(3_600_000);

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

/** Two phones of one person, and what should be true. */
interface Phones {
  devices: [Device, Device];
}

type Step = fc.AsyncCommand<ExpectedState, Phones>;

/** A step at one of the phones, about one of the things that there are. */
abstract class PhoneStep implements Step {
  constructor(
    private readonly phone: 0 | 1,
    private readonly pick: number,
  ) {}

  check(_: Readonly<ExpectedState>): boolean {
    return true;
  }

  run(expected: ExpectedState, { devices }: Phones): Promise<void> {
    return this.at(devices[this.phone], expected);
  }

  toString(): string {
    return `${this.constructor.name}(${this.phone}, ${this.pick})`;
  }

  protected abstract at(device: Device, expected: ExpectedState): Promise<void>;

  protected habitOf({ habits }: ExpectedState): string {
    return this.oneOf([...habits.keys()]);
  }

  protected oneOf<One>(all: readonly One[]): One {
    return all[this.pick % all.length]!;
  }
}

class CreateHabit extends PhoneStep {
  protected async at({ of }: Device, expected: ExpectedState): Promise<void> {
    const hasRoom = expected.hasRoom;
    const { status, body } = await of.ask('POST', '', { name: 'Run' });
    expect(status).toBe(hasRoom ? 201 : 402);
    if (hasRoom) expected.habits.set(String(body.id), { name: 'Run', archived: false });
  }
}

abstract class HabitStep extends PhoneStep {
  override check({ habits }: ExpectedState): boolean {
    return habits.size > 0;
  }
}

class RenameHabit extends HabitStep {
  protected async at({ of }: Device, expected: ExpectedState): Promise<void> {
    const id = this.habitOf(expected);
    const name = `Run ${Math.random()}`;
    expect((await of.ask('PATCH', `/${id}`, { name })).status).toBe(200);
    expected.habits.get(id)!.name = name;
  }
}

class ArchiveOrBack extends HabitStep {
  protected async at({ of }: Device, expected: ExpectedState): Promise<void> {
    const id = this.habitOf(expected);
    const habit = expected.habits.get(id)!;
    const isAllowed = !habit.archived || expected.hasRoom;
    const { status } = await of.ask('POST', `/${id}/${habit.archived ? 'unarchive' : 'archive'}`);
    expect(status).toBe(isAllowed ? 200 : 402);
    if (isAllowed) habit.archived = !habit.archived;
  }
}

class DeleteHabit extends HabitStep {
  protected async at({ of }: Device, expected: ExpectedState): Promise<void> {
    const id = this.habitOf(expected);
    expect((await of.ask('DELETE', `/${id}`)).status).toBe(204);
    expected.deleteHabit(id);
  }
}

class LogOffline extends HabitStep {
  protected async at(device: Device, expected: ExpectedState): Promise<void> {
    device.logOffline(this.habitOf(expected), `note ${Math.random()}`);
  }
}

class Push extends PhoneStep {
  protected async at(device: Device): Promise<void> {
    await device.push(false);
  }
}

class PushWithoutAnswer extends PhoneStep {
  protected async at(device: Device): Promise<void> {
    await device.push(true);
  }
}

class PullPage extends PhoneStep {
  protected async at({ follower }: Device): Promise<void> {
    await follower.readPage();
  }
}

abstract class LogStep extends PhoneStep {
  override check({ logs }: ExpectedState): boolean {
    return logs.size > 0;
  }

  protected async at(device: Device, expected: ExpectedState): Promise<void> {
    const clientId = this.oneOf([...expected.logs.keys()]);
    const id = device.idOfLog(clientId);
    if (id !== undefined) await this.of(device, expected, { clientId, id });
  }

  protected abstract of(device: Device, expected: ExpectedState, log: { clientId: string; id: string }): Promise<void>;
}

class ChangeNote extends LogStep {
  protected async of({ of }: Device, { logs }: ExpectedState, { clientId, id }: { clientId: string; id: string }) {
    const log = logs.get(clientId)!;
    log.note = `note ${Math.random()}`;
    expect((await of.ask('PATCH', `/${log.habitId}/logs/${id}`, { note: log.note })).status).toBe(200);
  }
}

class DeleteLog extends LogStep {
  protected async of({ of }: Device, expected: ExpectedState, { clientId, id }: { clientId: string; id: string }) {
    const { habitId } = expected.logs.get(clientId)!;
    expect((await of.ask('DELETE', `/${habitId}/logs/${id}`)).status).toBe(204);
    expected.logs.delete(clientId);
    expected.deletedClientIds.add(clientId);
  }
}

const stepOf = (make: new (phone: 0 | 1, pick: number) => Step) =>
  fc.tuple(fc.constantFrom(0 as const, 1 as const), fc.nat(20)).map(([phone, pick]) => new make(phone, pick));
const STEPS_OF_PHONES = [
  ...[CreateHabit, CreateHabit, RenameHabit, ArchiveOrBack, DeleteHabit, LogOffline, LogOffline, LogOffline],
  ...[Push, PushWithoutAnswer, PullPage, PullPage, ChangeNote, DeleteLog],
].map(stepOf);

it('two phones that were offline end with the same habits and logs as the service', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(STEPS_OF_PHONES, { maxCommands: STEPS, size: 'max' }), async (steps) => {
      const of = await somebody(accounts);
      const expected = new ExpectedState();
      const devices: [Device, Device] = [new Device(of, expected), new Device(of, expected)];
      await fc.asyncModelRun(() => ({ model: expected, real: { devices } }), steps);
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
