import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyzeLogs, civilDate, dayNumber, insightsFromLogs, planFromLogs, recommendFromLogs } from '../index';
import { MADE_HISTORIES } from './made-histories.fixture';
import { printedSentences } from './printed-sentences.fixture';

const written = readFileSync(join(__dirname, 'sentences.md'), 'utf8');
const histories = Object.keys(MADE_HISTORIES);

describe('sentences for made histories', () => {
  it('are those of sentences.md, of at least 60 histories', () => {
    expect(printedSentences()).toBe(written);
    expect(histories.length).toBeGreaterThanOrEqual(60);
  });

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

const saidOf = (title: string) => {
  const request = MADE_HISTORIES[title]!;
  const { highlights, watchouts } = analyzeLogs(request);
  const [{ code, action } = { code: null, action: null }] = recommendFromLogs(request).recommendations;
  return { code, action, texts: [...highlights, ...watchouts, ...insightsFromLogs(request).map(({ body }) => body)] };
};

describe('what a new user saw', () => {
  it.each([
    ['90 of 90 days', 'progress', 'Add one session or a slightly harder version.'],
    ['3 of 90 days', 'restart', 'Restart with the smallest version today.'],
    ['weekends off', 'reschedule', 'Give it another time on Saturdays, or leave them out of the schedule.'],
    ['every day 0.4', 'shrink', 'Lower the target, in days or in size, to the level already held, then rebuild.'],
    ['3 a week, held at 2', 'shrink', 'Lower the target, in days or in size, to the level already held, then rebuild.'],
    ['starts in three weeks', 'start', 'Starts on 2026-01-26.'],
  ])('%s: %s', (title, code, action) => {
    expect(saidOf(title)).toMatchObject({ code, action });
  });

  it.each(['90 of 90 days', '3 of 90 days', 'every day 0.4'])('%s: no best or worst weekday', (title) => {
    expect(saidOf(title).texts.filter((text) => /day: /.test(text))).toEqual([]);
  });
});
