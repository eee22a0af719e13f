import { scoreTask } from '@evenkeel/scoring';
import fc from 'fast-check';
import { walkTask } from './walk-task';

const HOUR_MS = 3_600_000;
const runsOf = (oks: readonly boolean[]) => oks.map((ok, run) => ({ atMs: Date.UTC(2026, 0) + run * HOUR_MS, ok }));

describe('a walk through a task', () => {
  it('lets no forecast see its own run or a later one', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 2, maxLength: 40 }), fc.nat(40), (oks, at) => {
        const cut = Math.min(at, oks.length);
        const changed = oks.map((ok, run) => (run < cut ? ok : !ok));
        const [one, other] = [oks, changed].map((all) => walkTask({ name: 'Job', runs: runsOf(all) }));
        for (const who of ['engine', 'share', 'strength'] as const) {
          expect(other!.given[who].slice(0, cut)).toEqual(one!.given[who].slice(0, cut));
        }
      }),
    );
  });

  it('asks the engine with the summary of the runs before', () => {
    const { came, given, known } = walkTask({ name: 'Job', runs: runsOf([true, true, false, true, true]) });
    const summary = { name: 'Job', success_rate: 0.75, current_streak: 1, best_streak: 2, runs: 4 };
    expect(known).toEqual([1, 2, 3, 4]);
    expect(came).toEqual([0, 1, 0, 0]);
    expect(given.engine[3]).toBe(scoreTask(summary).failure_risk);
    expect(given.share).toEqual([0, 0, 0.3333, 0.25]);
  });

  it.each([
    [0.1, 'several times an hour'],
    [1, 'about hourly'],
    [24, 'about daily'],
    [168, 'about weekly'],
    [720, 'rarely'],
  ])('a run every %d hours is %s', (hours, kind) => {
    const runs = [0, 1, 2].map((run) => ({ atMs: run * hours * HOUR_MS, ok: true }));
    expect(walkTask({ name: 'Job', runs }).kind).toBe(kind);
  });
});
