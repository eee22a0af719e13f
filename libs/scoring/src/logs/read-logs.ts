import { dayNumber } from './civil-days';
import { type AnyHistory, type HabitLog, type PackedLogs, STATUS_CODES } from './habit-history';
import { scheduleOf } from './schedule';

/** Logs by date, one place a log; of one day the highest completion comes first. */
export interface OrderedLogs extends Omit<PackedLogs, 'completionRates'> {
  /** As given, in the unit `whole`; -1 for none. */
  readonly rates: Float64Array | Int16Array;
  /** The rate of a whole session. */
  readonly whole: number;
}

/**
 * Orders the logs and drops repetitions of the same log (equal in every member), which would count its scores twice.
 * Targets above 7 a week keep them: there a day may hold two equal sessions.
 * @throws RangeError when a date is none, or the arrays of packed logs have different lengths
 */
export function readLogs(habit: AnyHistory): OrderedLogs {
  const logs = 'packed' in habit ? fromPacked(habit.packed) : fromObjects(habit.logs);
  return isOneADay(logs.days) ? logs : inOrder(logs, scheduleOf(habit).target > 7);
}

function fromObjects(logs: readonly HabitLog[]): OrderedLogs {
  const days = new Int32Array(logs.length);
  const statuses = new Uint8Array(logs.length);
  const rates = new Float64Array(logs.length);
  const moodScores = new Int8Array(logs.length);
  const energyScores = new Int8Array(logs.length);
  const stressScores = new Int8Array(logs.length);
  for (let i = 0; i < logs.length; i++) {
    const log = logs[i]!;
    days[i] = dayNumber(log.localDate);
    statuses[i] = STATUS_CODES[log.status];
    rates[i] = log.completionRate ?? -1;
    moodScores[i] = log.moodScore ?? 0;
    energyScores[i] = log.energyScore ?? 0;
    stressScores[i] = log.stressScore ?? 0;
  }
  return { days, statuses, rates, whole: 1, moodScores, energyScores, stressScores };
}

const TEN_THOUSANDTHS = 1e4;

function fromPacked(packed: PackedLogs): OrderedLogs {
  const { days, statuses, completionRates, moodScores, energyScores, stressScores } = packed;
  const others = [statuses, completionRates, moodScores, energyScores, stressScores];
  if (others.some(({ length }) => length !== days.length)) throw new RangeError('packed arrays of different lengths');
  return { days, statuses, rates: completionRates, whole: TEN_THOUSANDTHS, moodScores, energyScores, stressScores };
}

const { COMPLETED, PARTIAL } = STATUS_CODES;

/** @returns what a log has earned, 0 to 1: COMPLETED 1; PARTIAL its rate, or 0.5; SKIPPED 0 */
export function earnedBy({ statuses, rates, whole }: OrderedLogs, log: number): number {
  if (statuses[log] === COMPLETED) return 1;
  if (statuses[log] !== PARTIAL) return 0;
  return rates[log]! < 0 ? 0.5 : rates[log]! / whole;
}

/** Then the logs are in order, and no two of them are equal. */
function isOneADay(days: Int32Array): boolean {
  for (let i = 1; i < days.length; i++) if (days[i]! <= days[i - 1]!) return false;
  return true;
}

function inOrder(logs: OrderedLogs, keepsEqualOnes: boolean): OrderedLogs {
  const { days, statuses, rates, whole, moodScores, energyScores, stressScores } = logs;
  const difference = (a: number, b: number) =>
    days[a]! - days[b]! ||
    // Floating-point sums depend on the order of their terms: this one does not depend on the order of the logs.
    earnedBy(logs, b) - earnedBy(logs, a) ||
    statuses[a]! - statuses[b]! ||
    rates[a]! - rates[b]! ||
    moodScores[a]! - moodScores[b]! ||
    energyScores[a]! - energyScores[b]! ||
    stressScores[a]! - stressScores[b]!;
  const sorted = Array.from(days, (_, i) => i).sort(difference);
  const kept = keepsEqualOnes ? sorted : sorted.filter((log, i) => i === 0 || difference(sorted[i - 1]!, log) !== 0);
  return {
    days: Int32Array.from(kept, (log) => days[log]!),
    statuses: Uint8Array.from(kept, (log) => statuses[log]!),
    rates: Float64Array.from(kept, (log) => rates[log]!),
    whole,
    moodScores: Int8Array.from(kept, (log) => moodScores[log]!),
    energyScores: Int8Array.from(kept, (log) => energyScores[log]!),
    stressScores: Int8Array.from(kept, (log) => stressScores[log]!),
  };
}
