import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@evenkeel/kernel/random';
import { civilDate, dayNumber } from '@evenkeel/scoring';
import type { Backtest } from './figures/backtest';
import { run } from './run';

/** The command line in a folder of its own, on 20 November 2026. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'backtest-'));

  file(name: string, content: string | Uint8Array): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  async run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    let [out, err] = ['', ''];
    const streams = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
    const code = await run(args, Date.UTC(2026, 10, 20, 12), streams);
    return { code, out, err };
  }

  /** The output of `--json` for a file with this content. */
  async backtest(content: string | Uint8Array, ...options: string[]): Promise<Backtest> {
    const { out, err } = await this.run(this.file('given', content), '--json', ...options);
    if (out === '') throw new Error(err);
    return JSON.parse(out) as Backtest;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

interface MadeHabit {
  name: string;
  perWeek: number;
  /** That it is done on a day, whatever came before. */
  chance: number;
}

/** A CSV file of habits that are done by chance. */
export function habitsByChance(habits: readonly MadeHabit[]): string {
  const random = new Random(1);
  const lines = habits.flatMap(({ name, perWeek, chance }) =>
    Array.from({ length: 500 }, (_, day) => {
      const value = random.ratio() < chance ? 'yes' : 'no';
      return `${name},${civilDate(dayNumber('2024-01-01') + day)},${value},${perWeek}`;
    }),
  );
  return ['habit,date,value,per_week', ...lines, ''].join('\r\n');
}

/** Done by the toss of a coin: nothing can be known of them. */
export const COINS = habitsByChance(
  Array.from({ length: 24 }, (_, i) => ({ name: `Coin ${i}`, perWeek: 7, chance: 0.5 })),
);

/** Of four kinds, each done with a chance between a fifth and more than enough. */
export const KINDS = habitsByChance(
  [7, 5, 3, 1].flatMap((perWeek) =>
    Array.from({ length: 12 }, (_, i) => {
      const chance = Math.min(0.98, (perWeek / 7) * (0.2 + i / 10));
      return { name: `${perWeek} a week number ${i}`, perWeek, chance };
    }),
  ),
);
