import type { HabitHistory, HabitLog } from './habit-history';

/**
 * A second, slow reading of the rules for days, weeks, occasions, skips, risk and strength: date strings, filters and
 * powers in place of day numbers, running windows and recursions. Shares nothing with the engine but its input types.
 */
export function literalReading(habit: HabitHistory, asOf: string, windowDays: number, weekStart: string) {
  const known = habit.logs.map(({ localDate }) => localDate).filter((date) => date <= asOf);
  const startDate = habit.startDate ?? [habit.createdOn ?? asOf, ...known].sort()[0]!;
  const target = habit.targetPerWeek ?? (habit.cadence === 'WEEKLY' ? 1 : 7);
  const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].filter(
    (_, bit) => Math.floor((habit.targetDaysMask ?? 0) / 2 ** bit) % 2 === 1,
  );
  const byWeek = weekdays.length === 0 && target !== 7;
  const due = (date: string) => byWeek || weekdays.length === 0 || weekdays.includes(weekday(date));
  const T = byWeek ? target : weekdays.length || 7;

  const logsOn = remembered((date) =>
    date < startDate || date > asOf ? [] : habit.logs.filter((log) => log.localDate === date),
  );
  const workOn = (date: string) => logsOn(date).filter((log) => log.status !== 'SKIPPED');
  const completion = remembered((date) => {
    const completions = workOn(date).map(completionOfLog);
    if (T <= 7) return Math.max(0, ...completions);
    return Math.min(Math.ceil(T / 7), sum(completions));
  });
  const skipOnly = (date: string) => due(date) && logsOn(date).length > 0 && workOn(date).length === 0;
  const days = datesFrom(startDate, asOf);

  interface Due {
    at: string;
    dates: string[];
    share: number;
    kept: boolean;
    open: boolean;
    skip: boolean;
    partial: boolean;
    excused: boolean;
  }
  const all: Due[] = byWeek ? weeks() : days.filter(due).map(dayOccasion);

  function dayOccasion(date: string): Due {
    const open = date === asOf && logsOn(date).length === 0;
    return {
      at: date,
      dates: [date],
      share: completion(date),
      kept: completion(date) > 0.5 - 1e-9,
      open,
      skip: skipOnly(date),
      partial: false,
      excused: false,
    };
  }
  function weeks(): Due[] {
    const ends = [...new Set(days.map((date) => endOfWeek(date, weekStart)))];
    return ends.map((at) => {
      const dates = datesFrom(plus(at, -6), at).filter((date) => date >= startDate && date <= asOf);
      const total = sum(dates.map(completion));
      const kept = total > T - 1e-9;
      const skip = !kept && dates.some(skipOnly);
      const open = !kept && at >= asOf;
      const partial = plus(at, -6) < startDate;
      return { at, dates, share: Math.min(1, total / T), kept, open, skip, partial, excused: false };
    });
  }

  const none = (occasion: Due) => occasion.partial && !occasion.kept && !occasion.excused;
  const within90 = (end: string) => all.filter(({ at }) => at <= end && at > plus(end, -90));
  const budget = (occasions: Due[]) => Math.max(1, Math.floor(occasions.length / 4));
  for (const occasion of all) {
    if (!occasion.skip) continue;
    const around = within90(occasion.at).filter((other) => other === occasion || !none(other));
    occasion.excused = around.filter(({ excused }) => excused).length < budget(around);
  }

  const end = byWeek ? endOfWeek(asOf, weekStart) : asOf;
  const inBudget = within90(end).filter((occasion) => occasion.open || !none(occasion));
  const counted = all.filter((occasion) => !occasion.excused && !none(occasion) && !occasion.open);
  const inWindow = (from: string, until: string) => ({
    counted: counted.filter(({ at, dates }) => at >= from && (at <= until || dates.includes(until))),
    excused: all.filter(({ at, excused, dates }) => excused && at >= from && (at <= until || dates.includes(until))),
  });
  const now = inWindow(plus(asOf, 1 - windowDays), asOf);
  const before = counted.filter(({ at }) => at > plus(asOf, -2 * windowDays) && at <= plus(asOf, -windowDays));

  const runs = counted
    .map(({ kept }) => (kept ? 'k' : 'm'))
    .join('')
    .split('m')
    .map((run) => run.length);
  const excusedDates = new Set(all.filter(({ excused }) => excused).flatMap(({ dates }) => dates));
  const seen = days.filter(
    (date) => due(date) && !excusedDates.has(date) && !(date === asOf && logsOn(date).length === 0),
  );

  return {
    streak_unit: byWeek ? 'week' : 'day',
    evidence: counted.length > 0 ? 'logs' : 'none',
    completion_rate: mean(now.counted.map(({ share }) => share)),
    occasions: now.counted.length,
    excused: now.excused.length,
    skip_budget_remaining: Math.max(0, budget(inBudget) - inBudget.filter(({ excused }) => excused).length),
    current_streak: runs.at(-1) ?? 0,
    best_streak: Math.max(...runs),
    previous: before.length === 0 ? null : mean(before.map(({ share }) => share)),
    lapse_risk: counted.length === 0 ? null : risk(),
    strength: strength(),
    weekdays: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map((name) => {
      const dates = seen.filter((date) => weekday(date) === name && date > plus(asOf, -windowDays));
      return { n: dates.length, credits: dates.map((date) => Math.min(1, completion(date))) };
    }),
    seen,
    completion,
  };

  function risk(): number {
    const m = byWeek ? 0.4 * memoryOfSevens() + 0.6 * memoryOfWeeks() : 0.4 * memoryOfDays(3) + 0.6 * memoryOfDays(45);
    const last = seen.findLastIndex((date) => completion(date) > 0);
    const pause = Math.min(14, (seen.length - 1 - last) * (byWeek ? Math.min(7, T) / 7 : 1));
    return Math.min(0.99, Math.max(0.01, (0.5 + pause + 8 * (1 - m)) / (8.5 + pause)));
  }

  function memoryOfDays(halfLife: number): number {
    const weights = seen.map((date) => 0.5 ** (daysBetween(date, asOf) / halfLife));
    return sum(seen.map((date, i) => weights[i]! * completion(date))) / sum(weights);
  }

  interface Stretch {
    /** How many stretches ago. */
    back: number;
    earned: number;
    weight: number;
  }
  /** The earned and the lost part: lost is what the rest of seven days cannot reach. */
  function weightOf(earning: string[], over: string[]): number {
    const earned = Math.min(1, sum(earning.map(completion)) / T);
    const best = Math.min(1, (sum(over.map(completion)) + Math.ceil(T / 7) * (7 - over.length)) / T);
    return earned + (1 - best);
  }

  function memoryOfSevens(): number {
    const level = (dates: string[]) => {
      const halfLife = 3 / Math.min(7, T);
      const stretches: Stretch[] = [];
      for (let rest = dates; rest.length > 0; rest = rest.slice(0, -7)) {
        const seven = rest.slice(-7);
        const earned = sum(seven.map(completion)) / T;
        stretches.push({ back: stretches.length, earned, weight: weightOf(seven, seven) });
      }
      const fade = ({ back }: Stretch) => 0.5 ** (back / halfLife);
      const weight = sum(stretches.map((stretch) => fade(stretch) * stretch.weight));
      return weight === 0 ? 0 : Math.min(1, sum(stretches.map((stretch) => fade(stretch) * stretch.earned)) / weight);
    };
    return Math.max(level(seen), level(seen.filter((date) => date < asOf || !seen.includes(asOf))));
  }

  function memoryOfWeeks(): number {
    const stretches = all
      .filter(({ excused }) => !excused)
      .reverse()
      .map(({ dates, share }, back) => {
        return {
          back,
          earned: share,
          weight: weightOf(
            dates,
            dates.filter((date) => date < asOf),
          ),
        };
      });
    const fade = ({ back }: Stretch) => 0.5 ** ((7 * back) / 45);
    return (
      sum(stretches.map((stretch) => fade(stretch) * stretch.earned)) /
      sum(stretches.map((stretch) => fade(stretch) * stretch.weight))
    );
  }

  function strength(): number {
    const f = 0.5 ** (Math.sqrt(Math.min(7, T) / 7) / 13);
    let s = 0;
    for (const [i, date] of seen.entries()) {
      const x = byWeek ? Math.min(1, sum(seen.slice(Math.max(0, i - 6), i + 1).map(completion)) / T) : completion(date);
      s = f * s + (1 - f) * x;
    }
    return s;
  }
}

const DAY_MS = 86_400_000;
const instant = remembered((date) => Date.parse(`${date}T00:00:00Z`));
const dateOf = remembered((at: number) => new Date(at).toISOString().slice(0, 10));
const plus = (date: string, days: number) => dateOf(instant(date) + days * DAY_MS);
const daysBetween = (from: string, to: string) => (instant(to) - instant(from)) / DAY_MS;
const weekday = remembered((date) => new Date(instant(date)).toUTCString().slice(0, 3));

function remembered<Key extends string | number = string, Value = unknown>(
  find: (key: Key) => Value,
): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, find(key));
    return known.get(key)!;
  };
}

function datesFrom(first: string, last: string): string[] {
  const dates: string[] = [];
  for (let date = first; date <= last; date = plus(date, 1)) dates.push(date);
  return dates;
}

function endOfWeek(date: string, weekStart: string): string {
  const last = { MONDAY: 'Sun', SUNDAY: 'Sat', SATURDAY: 'Fri' }[weekStart];
  let end = date;
  while (weekday(end) !== last) end = plus(end, 1);
  return end;
}

function completionOfLog(log: HabitLog): number {
  return log.status === 'COMPLETED' ? 1 : (log.completionRate ?? 0.5);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}
