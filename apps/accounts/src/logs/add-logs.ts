import { isDeepStrictEqual } from 'node:util';
import { Clock, type DomainError } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { Batcher, poolOf, together, transactTogether } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { CrashPoint } from '../accounts.config';
import { limitsAt } from '../entitlements/entitlements';
import { takeChangeNumbers } from '../users/lock-user';
import { countHabits } from '../habits/active-cap';
import { ClientIdConflict } from '../habits/client-id-conflict';
import { ActiveHabitsExceeded, HabitNotFound } from '../habits/habit.errors';
import type { AccountUser } from '../users/account-user';
import { ADD_LOGS, ADD_USUAL_LOGS, inputOf, rowOf, type NewLog, type OutcomeRow } from './add-logs-statement';
import type { ArrivingLog } from './arriving-log';
import { LogNotFound, tooManyLogs } from './log-rules';
import { LogView } from './log.view';
import type { StoredLog } from './stored-log';

/**
 * What became of a log that arrived. `existing`: its `clientId` is known, and this is what is stored. Rejected because something else
 * is stored: that too.
 */
export type AddedLog =
  { status: 'created' | 'existing'; log: StoredLog } | { status: 'rejected'; error: DomainError; stored?: StoredLog };

/**
 * Stores logs. Single ones that arrive together, of one person or of many, are stored by one statement; those of a batch in one
 * transaction. One that cannot be stored rejects itself alone.
 */
@Injectable()
export class AddLogs {
  private readonly usual = new Batcher<NewLog, boolean>((logs) => this.addUsual(logs));

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly crash: ProcessCrash<CrashPoint>,
  ) {}

  /** @returns what became of it */
  async one(user: AccountUser, log: ArrivingLog): Promise<AddedLog> {
    const isAdded = await this.usual.add({ userId: user.userId, cap: this.capOf(user), log });
    if (!isAdded) return (await this.all(user, [log]))[0]!;
    this.crash.pass('after_commit');
    return { status: 'created', log };
  }

  /** @returns what became of each, in their order */
  async all(user: AccountUser, logs: readonly ArrivingLog[]): Promise<AddedLog[]> {
    const firsts = firstOfEachClientId(logs);
    const distinct = [...new Set(firsts)];
    const added = new Map<ArrivingLog, AddedLog>();
    const { rows, cap } = await this.write(user, distinct);
    for (const row of rows) {
      const log = distinct[row.index]!;
      added.set(log, addedLog(log, row, cap));
    }
    return firsts.map((first, index) => {
      const result = added.get(first)!;
      return first === logs[index] ? result : repeated(logs[index]!, result);
    });
  }

  /** @returns of each whether it was added */
  private async addUsual(logs: readonly NewLog[]): Promise<boolean[]> {
    const statement = { ...ADD_USUAL_LOGS, values: [inputOf(logs)] };
    const { rows } = await poolOf(this.dataSource).query<{ id: string }>(statement);
    const added = new Set(rows.map(({ id }) => id));
    return logs.map(({ log }) => added.has(log.id));
  }

  private capOf({ accessUntil }: Pick<AccountUser, 'accessUntil'>): number | null {
    return limitsAt(accessUntil, this.clock.now()).maxHabits;
  }

  private async write(user: AccountUser, logs: ArrivingLog[]): Promise<{ rows: OutcomeRow[]; cap: number | null }> {
    if (logs.length === 0) return { rows: [], cap: null };
    const input = JSON.stringify(logs.map(rowOf));
    const [cap, rows] = await transactTogether(this.dataSource, async (tx) => {
      const [, counts] = await together([takeChangeNumbers(tx, user, logs.length), countHabits(tx, user.userId)]);
      const limit = this.capOf(counts);
      this.crash.pass('before_commit');
      return [limit, tx.query<OutcomeRow[]>(ADD_LOGS, [user.userId, limit, input, logs.length])] as const;
    });
    this.crash.pass('after_commit');
    return { rows, cap };
  }
}

/** For each log the first one with its `clientId`: a later one of the same batch repeats it. */
function firstOfEachClientId(logs: readonly ArrivingLog[]): ArrivingLog[] {
  const firsts = new Map<string, ArrivingLog>();
  return logs.map((log) => {
    if (log.clientId === null) return log;
    const first = firsts.get(log.clientId) ?? log;
    firsts.set(log.clientId, first);
    return first;
  });
}

/** Of a log whose `clientId` came before in the same batch. */
function repeated(log: ArrivingLog, first: AddedLog): AddedLog {
  if (first.status !== 'rejected') return known(log, first.log);
  return first.stored ? known(log, first.stored) : first;
}

/** Of a log whose `clientId` is stored. */
function known(log: ArrivingLog, stored: StoredLog): AddedLog {
  const sent = contentOf(log);
  if (isDeepStrictEqual(sent, contentOf(stored))) return { status: 'existing', log: stored };
  const error = new ClientIdConflict(LogView.of(stored), { clientId: log.clientId, ...sent });
  return { status: 'rejected', error, stored };
}

/** What a request says of a log. */
function contentOf(log: StoredLog): object {
  const { habitId, occurredAt, status, completionRate, durationMinutes, moodScore, energyScore, stressScore } = log;
  const { contextTags, note } = log;
  return {
    ...{ habitId, occurredAt: occurredAt.toISOString(), status, completionRate, durationMinutes },
    ...{ moodScore, energyScore, stressScore, contextTags, note },
  };
}

function addedLog(
  log: ArrivingLog,
  { index: _, outcome, active, ...stored }: OutcomeRow,
  cap: number | null,
): AddedLog {
  const rejected = (error: DomainError): AddedLog => ({ status: 'rejected', error });
  switch (outcome) {
    case 'created':
      return { status: 'created', log };
    case 'existing':
      return log.clientId === null ? { status: 'created', log: stored } : known(log, stored);
    case 'deleted':
      return rejected(new LogNotFound());
    case 'no_habit':
      return rejected(new HabitNotFound());
    case 'over_cap':
      return rejected(new ActiveHabitsExceeded({ used: active ?? 0, limit: cap ?? 0 }));
    case 'full_day':
      return rejected(tooManyLogs());
  }
}
