import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyzeLogs, civilDate, dayNumber, planFromLogs } from '../index';
import { MADE_HISTORIES } from './made-histories.fixture';
import { printedSentences } from './printed-sentences.fixture';

const written = readFileSync(join(__dirname, 'sentences.md'), 'utf8');
const histories = Object.keys(MADE_HISTORIES);

describe('sentences for made histories', () => {
  it('are those of sentences.md', () => expect(printedSentences()).toBe(written));

  it.each(histories)('%s: promises no streak that following the plan does not bring', (title) => {
    const request = MADE_HISTORIES[title]!;
    const [plan] = planFromLogs({ ...request, horizonDays: 180 }).plan;
    const marks = plan!.milestones.filter(({ code }) => code === 'streak');
    // Weeks of a plan need not be those of the calendar: a mark of weeks may lie up to six days before its session.
    const isWeekly = analyzeLogs(request).habits[0]!.metrics.streak_unit === 'week';
    const habit = request.habits[0]!;
    const logged = 'logs' in habit ? habit.logs : [];
    for (const { day, mark } of marks) {
      const asOf = civilDate(dayNumber(plan!.weeks[0]!.start_date) + day - 1 + (isWeekly ? 6 : 0));
      const dates = plan!.weeks.flatMap((week) => week.dates).filter((date) => date <= asOf);
      // Today is still open, and so not missed.
      const followed = [request.asOf, ...dates].map((localDate) => ({ localDate, status: 'COMPLETED' as const }));
      const after = analyzeLogs({ habits: [{ ...habit, logs: [...logged, ...followed] }], asOf });
      expect(after.habits[0]!.metrics.current_streak).toBeGreaterThanOrEqual(mark);
    }
  });
});
