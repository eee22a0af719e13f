import { dayNumber } from './civil-days';
import { type AnyHistory, type HabitLog, type PackedLogs, STATUS_CODES } from './habit-history';
import { scheduleOf } from './schedule';

/** Logs by date, one place a log; of one day the highest completion comes first. */
export interface OrderedLogs extends Omit<PackedLogs, 'completionRates'> {
  /** Earned by each log, 0 to 1. */
  readonly completion: Float64Array;
}

interface ReadLogs extends OrderedLogs {
  /** As given, for their order alone: in any unit, -1 for none. */
  readonly rates: Float64Array | Int16Array;
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

function fromObjects(logs: readonly HabitLog[]): ReadLogs {
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
  const completion = completionOf(statuses, rates, 1);
  return { days, statuses, rates, completion, moodScores, energyScores, stressScores };
}

const TEN_THOUSANDTHS = 1e4;

function fromPacked(packed: PackedLogs): ReadLogs {
  const { days, statuses, completionRates, moodScores, energyScores, stressScores } = packed;
  const others = [statuses, completionRates, moodScores, energyScores, stressScores];
  if (others.some(({ length }) => length !== days.length)) throw new RangeError('packed arrays of different lengths');
  const completion = completionOf(statuses, completionRates, TEN_THOUSANDTHS);
  return { days, statuses, rates: completionRates, completion, moodScores, energyScores, stressScores };
}

const { COMPLETED, PARTIAL } = STATUS_CODES;

/**
 * COMPLETED 1; PARTIAL its rate, or 0.5; SKIPPED 0.
 * @param whole the rate that is 1
 */
function completionOf(statuses: Uint8Array, rates: ReadLogs['rates'], whole: number): Float64Array {
  const completion = new Float64Array(statuses.length);
  for (let i = 0; i < completion.length; i++) {
    if (statuses[i] === COMPLETED) completion[i] = 1;
    else if (statuses[i] === PARTIAL) completion[i] = rates[i]! < 0 ? 0.5 : rates[i]! / whole;
  }
  return completion;
}

/** Then the logs are in order, and no two of them are equal. */
function isOneADay(days: Int32Array): boolean {
  for (let i = 1; i < days.length; i++) if (days[i]! <= days[i - 1]!) return false;
  return true;
}

function inOrder(logs: ReadLogs, keepsEqualOnes: boolean): OrderedLogs {
  const { days, statuses, rates, completion, moodScores, energyScores, stressScores } = logs;
  const difference = (a: number, b: number) =>
    days[a]! - days[b]! ||
    // Floating-point sums depend on the order of their terms: this one does not depend on the order of the logs.
    completion[b]! - completion[a]! ||
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
    completion: Float64Array.from(kept, (log) => completion[log]!),
    moodScores: Int8Array.from(kept, (log) => moodScores[log]!),
    energyScores: Int8Array.from(kept, (log) => energyScores[log]!),
    stressScores: Int8Array.from(kept, (log) => stressScores[log]!),
  };
}
