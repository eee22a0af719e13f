import { randomUUID } from 'node:crypto';
import type { HabitsOf } from '../habits/habits.fixture';
import { Follower, type Item } from './sync.fixture';

const FREE_HABITS = 3;

/** What the service should have of one person on Free. */
export class ExpectedState {
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

/** A phone: what it knows of the service, and what it has not told it yet. */
export class Device {
  readonly follower: Follower;
  readonly waiting: WaitingLog[] = [];
  /** Ids of the service for logs of any device of the person, as far as this one has heard them. */
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

  /** Tells the service all that waits. @param isAnswerLost then all of it waits on, as if nothing had been told */
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

  private expect({ clientId, habitId, note }: WaitingLog): string {
    const { logs, deletedClientIds } = this.expected;
    if (logs.has(clientId)) return 'existing';
    if (deletedClientIds.has(clientId) || !this.expected.isOpen(habitId)) return 'rejected';
    logs.set(clientId, { habitId, note });
    return 'created';
  }
}
