import type { ReadLog } from './read-log';

export type ScoreMember = 'moodScore' | 'energyScore' | 'stressScore';

/** Mean score of each day that has one, over `from` to `until`. Sums are whole numbers, so log order changes nothing. */
export class DailyScores {
  private readonly sum = new Map<number, number>();
  private readonly count = new Map<number, number>();

  constructor(
    readonly from: number,
    readonly until: number,
  ) {}

  add(logs: readonly ReadLog[], member: ScoreMember): this {
    for (const { day, log } of logs) {
      const score = log[member];
      if (score === undefined || score === null) continue;
      if (day < this.from || day > this.until) continue;
      this.sum.set(day, (this.sum.get(day) ?? 0) + score);
      this.count.set(day, (this.count.get(day) ?? 0) + 1);
    }
    return this;
  }

  /** @returns 1 to 10; undefined on a day without a score */
  meanOf(day: number): number | undefined {
    const sum = this.sum.get(day);
    return sum === undefined ? undefined : sum / this.count.get(day)!;
  }
}
