const DAY_MS = 86_400_000;

/** One UTC day and how many payments it gets. */
export interface BusyDay {
  /** From 0. */
  index: number;
  date: string;
  startMs: number;
  payments: number;
}

/** Spreads payments over days: three times as many at the end as at the beginning, two thirds on weekends. */
export function busyDays({ payments, days, until }: { payments: number; days: number; until: string }): BusyDay[] {
  const firstMs = Date.parse(until) - (days - 1) * DAY_MS;
  const weights = Array.from({ length: days }, (_, index) => weightOf(firstMs + index * DAY_MS, index / days));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let [weight, given] = [0, 0];
  return weights.map((own, index) => {
    weight += own;
    // Rounded where the day ends, so that nothing is lost between days.
    const until = index === days - 1 ? payments : Math.round((payments * weight) / total);
    const startMs = firstMs + index * DAY_MS;
    const day = { index, date: new Date(startMs).toISOString().slice(0, 10), startMs, payments: until - given };
    given = until;
    return day;
  });
}

function weightOf(startMs: number, progress: number): number {
  const weekday = new Date(startMs).getUTCDay();
  return (1 + 2 * progress) * (weekday === 0 || weekday === 6 ? 2 / 3 : 1);
}
