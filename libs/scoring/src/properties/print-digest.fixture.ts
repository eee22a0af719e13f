import fc from 'fast-check';
import { createHash } from 'node:crypto';
import {
  analyzeLogs,
  analyzeReliability,
  insightsForHabits,
  planFromLogs,
  planHabits,
  recommendForHabits,
} from '../index';
import { aLife } from './histories.fixture';
import { FULL, fullOfHabits, fullOfTasks } from './summaries.fixture';

// A program of its own: prints one digest over the answers for the same 20,000 habits, 5,000 tasks and 1,000 histories every time.
const sample = { seed: 20_260_131, numRuns: 20_000 / FULL };
const digest = createHash('sha256');
const print = (answer: unknown) => digest.update(JSON.stringify(answer));

for (const habits of fc.sample(fullOfHabits, sample)) {
  print(insightsForHabits({ habits }));
  print(recommendForHabits({ habits }));
  print(planHabits({ habits }));
}
for (const tasks of fc.sample(fullOfTasks, { ...sample, numRuns: 5_000 / FULL })) print(analyzeReliability({ tasks }));
for (const { habit, asOf, weekStart } of fc.sample(aLife({ min: 1, max: 30 }), { ...sample, numRuns: 1_000 })) {
  const request = { habits: [habit], asOf, weekStart };
  print(analyzeLogs(request));
  print(planFromLogs(request));
}
process.stdout.write(digest.digest('hex'));
