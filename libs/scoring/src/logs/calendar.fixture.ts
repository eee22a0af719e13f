import { civilDate, dayNumber } from './civil-days';
import type { HabitLog } from './habit-history';

const STATUS = { d: 'COMPLETED', p: 'PARTIAL', s: 'SKIPPED' } as const;

/**
 * Logs as a calendar is read: one letter per day from `first` on, d done, p partial (0.5), s skipped, anything else
 * no log; blanks are for the eye.
 */
export function logsOf(letters: string, first: string): HabitLog[] {
  return [...letters.replaceAll(' ', '')].flatMap((letter, i): HabitLog[] =>
    letter in STATUS
      ? [{ localDate: civilDate(dayNumber(first) + i), status: STATUS[letter as keyof typeof STATUS] }]
      : [],
  );
}

/** Mood scores by day, `.` for none, 0 for 10; logged on a diary habit of their own. */
export function moodsOf(letters: string, first: string): HabitLog[] {
  return [...letters.replaceAll(' ', '')].flatMap((letter, i): HabitLog[] => {
    if (letter === '.') return [];
    const moodScore = letter === '0' ? 10 : Number(letter);
    return [{ localDate: civilDate(dayNumber(first) + i), status: 'COMPLETED', moodScore }];
  });
}
