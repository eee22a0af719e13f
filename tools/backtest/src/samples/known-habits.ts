import { civilDate, dayNumber } from '@evenkeel/scoring';
import { Random } from '../figures/random';
import type { MadeFile } from './samples';

const FIRST_DAY = dayNumber('2024-01-01');
const DAYS = 500;

interface MadeHabit {
  readonly name: string;
  readonly perWeek: number;
  /** Chance that it is done on a day, whatever came before. */
  readonly chanceOn: (day: number) => number;
}

/** Twelve habits of each of four kinds, done on a day with a chance between a fifth and more than enough. */
export function knownHabits(seed: number): MadeFile {
  const habits = [7, 5, 3, 1].flatMap((perWeek) =>
    Array.from({ length: 12 }, (_, i): MadeHabit => {
      const chance = Math.min(0.98, (perWeek / 7) * (0.2 + i / 10));
      return { name: `${perWeek} a week, number ${i + 1}`, perWeek, chanceOn: () => chance };
    }),
  );
  return made(habits, seed);
}

/** Done on 92 of 100 days in the first half of the time, on 35 in the second. */
export function shiftedHabits(seed: number): MadeFile {
  const habits = Array.from({ length: 24 }, (_, i): MadeHabit => {
    return { name: `Habit ${i + 1}`, perWeek: 7, chanceOn: (day) => (day < DAYS / 2 ? 0.92 : 0.35) };
  });
  return made(habits, seed);
}

/** Done on every other day by chance, all of them alike. */
export function randomHabits(seed: number): MadeFile {
  const habits = Array.from({ length: 24 }, (_, i): MadeHabit => {
    return { name: `Coin ${i + 1}`, perWeek: 7, chanceOn: () => 0.5 };
  });
  return made(habits, seed);
}

function made(habits: readonly MadeHabit[], seed: number): MadeFile {
  const random = new Random(seed);
  const lines = ['habit,date,value,per_week'];
  for (const { name, perWeek, chanceOn } of habits) {
    for (let day = 0; day < DAYS; day++) {
      const value = random.ratio() < chanceOn(day) ? 'yes' : 'no';
      lines.push(`"${name}",${civilDate(FIRST_DAY + day)},${value},${perWeek}`);
    }
  }
  const truth = new Map(habits.map(({ name, perWeek, chanceOn }) => [name, lapseChance(perWeek, chanceOn(0))]));
  return { csv: `${lines.join('\r\n')}\r\n`, truth };
}

/** Chance that fewer than half of the target are done in seven days, each with the same chance. */
function lapseChance(perWeek: number, chance: number): number {
  let sum = 0;
  let ways = 1;
  for (let done = 0; done < perWeek / 2; done++) {
    sum += ways * chance ** done * (1 - chance) ** (7 - done);
    ways = (ways * (7 - done)) / (done + 1);
  }
  return sum;
}
