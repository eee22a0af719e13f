import fc from 'fast-check';
import {
  analyzeLogs,
  analyzeReliability,
  insightsForHabits,
  planHabits,
  recommendForHabits,
  type HabitsRequest,
} from '../index';
import { forEachOf } from './for-each-of.fixture';
import { aLife } from './histories.fixture';
import { aHorizon, FULL, fullOfHabits, fullOfTasks } from './summaries.fixture';

const ofHabits = (request: HabitsRequest) => [
  insightsForHabits(request),
  recommendForHabits(request),
  planHabits(request),
];

describe('P2', () => {
  it('mutates no habits, and gives equal bytes for equal input and for its JSON round trip', () => {
    forEachOf(
      fc.record({ habits: fullOfHabits, horizon_days: aHorizon }),
      (request) => isRepeatable(ofHabits, request),
      FULL,
    );
  });

  it('mutates no tasks, and gives equal bytes', () => {
    forEachOf(fc.record({ tasks: fullOfTasks }), (request) => isRepeatable(analyzeReliability, request), FULL);
  });

  it('mutates no history, and gives equal bytes', () => {
    forEachOf(
      fc.array(aLife({ min: 1, max: 10 }), { minLength: FULL, maxLength: FULL, size: 'max' }),
      ([first, ...others]) => {
        const request = { ...first!, habits: [first!, ...others].map(({ habit }) => habit) };
        return isRepeatable(analyzeLogs, request);
      },
      FULL,
    );
  });
});

/** A frozen input makes any write throw. */
function isRepeatable<Request>(run: (request: Request) => unknown, request: Request): boolean {
  const sent = JSON.stringify(request);
  const bytes = JSON.stringify(run(frozen(request)));
  return bytes === JSON.stringify(run(request)) && bytes === JSON.stringify(run(JSON.parse(sent) as Request));
}

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}
