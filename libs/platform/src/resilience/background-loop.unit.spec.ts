import { eventually } from '../testing';
import { BackgroundLoop, type Job, type JobRun } from './background-loop';

const HOUR_MS = 3_600_000;

function aLoop(over: Partial<Job> & Pick<Job, 'run'>) {
  const runs: JobRun[] = [];
  const onRun = (run: JobRun) => void runs.push(run);
  const loop = new BackgroundLoop({ name: 'sweep', everyMs: HOUR_MS, withinMs: HOUR_MS, onRun, ...over });
  return { loop, runs };
}

describe('BackgroundLoop', () => {
  it('goes on at once while there is more to do, then pauses', async () => {
    let left = 3;
    const { loop, runs } = aLoop({ run: async () => --left > 0 });
    loop.start();
    await eventually(() => expect(runs).toHaveLength(3));
    expect(runs).toEqual(Array(3).fill({ job: 'sweep', outcome: 'done', failures: 0, seconds: expect.any(Number) }));
    await loop.stop(0);
    expect(left).toBe(0);
  });

  it('tells a run when its time is over', async () => {
    const { loop, runs } = aLoop({
      withinMs: 50,
      run: (isLate) => eventually(isLate).then(() => false),
    });
    loop.start();
    await eventually(() => expect(runs).toMatchObject([{ outcome: 'done' }]));
    await loop.stop(0);
  });

  it('does not wait for ever for a run that does not end', async () => {
    let begun = false;
    const { loop } = aLoop({
      run: () => {
        begun = true;
        return new Promise(() => undefined);
      },
    });
    loop.start();
    await eventually(() => begun);
    await expect(loop.stop(10)).resolves.toBeUndefined();
  });
});
