import { getHeapSpaceStatistics } from 'node:v8';
import { evaluateHistories } from './evaluate-histories';

const ANALYSES = 1_000;

const habits = ['walk', 'read'].map((name) => {
  const logs = Array.from({ length: 40 }, (_, day) => ({
    localDate: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
    status: day % 3 === 0 ? ('SKIPPED' as const) : ('COMPLETED' as const),
    moodScore: 1 + ((day * 7) % 10),
  }));
  return { name, targetPerWeek: 7, logs };
});

function analyze(): void {
  for (let analysis = 0; analysis < ANALYSES; analysis++) evaluateHistories({ habits, asOf: '2026-02-10' });
}

function oldSpace(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size;
}

/** V8 collects all memory for what is old: that takes longer than an analysis. */
it('leaves little of two habits in the old space', () => {
  analyze();
  const before = oldSpace();
  analyze();
  expect((oldSpace() - before) / ANALYSES).toBeLessThan(1_500);
});
