import { Workplace } from '../backtest.fixture';
import type { Measure } from '../figures/bootstrap';
import { readFile, Rejects } from '../reading/read-file';
import { walk } from '../forecasts/walk';
import { SAMPLES, type MadeFile } from './samples';

const workplace = new Workplace();
afterAll(() => workplace.remove());

interface Known {
  kind: string;
  given: number;
  /** True chance of the event. */
  chance: number;
}

/** Every forecast of the engine with the truth behind it. */
async function knownOf({ csv, truth }: MadeFile): Promise<Known[]> {
  const file = await readFile(Buffer.from(csv), { rejects: new Rejects(), today: 30_000 });
  return walk(file, () => undefined).flatMap(({ name, kind, given }) => {
    const chance = truth.get(name)!;
    return given.engine.map((forecast, at) => ({
      kind,
      given: forecast,
      chance: typeof chance === 'number' ? chance : chance[at]!,
    }));
  });
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
/** The mean Brier score of events with these true chances. */
const trueBrier = (all: readonly Known[]) =>
  mean(all.map(({ given, chance }) => (given - chance) ** 2 + chance * (1 - chance)));

/** Share of pairs in order, when the events come by their true chances. */
function trueAuc(all: readonly Known[]): number {
  const rising = [...all].sort((a, b) => a.given - b.given);
  let won = 0;
  let below = 0;
  for (let from = 0, to = 0; from < rising.length; from = to) {
    while (to < rising.length && rising[to]!.given === rising[from]!.given) to++;
    const tied = rising.slice(from, to);
    const others = tied.reduce((sum, { chance }) => sum + 1 - chance, 0);
    won += tied.reduce((sum, { chance }) => sum + chance, 0) * (below + others / 2);
    below += others;
  }
  return won / (below * all.reduce((sum, { chance }) => sum + chance, 0));
}

function expectWithin({ low, high }: Measure, truth: number): void {
  expect(low).toBeLessThanOrEqual(truth);
  expect(high).toBeGreaterThanOrEqual(truth);
}

it('a calibrated file has the truth within every interval', async () => {
  const sample = SAMPLES.calibrated(1);
  const known = await knownOf(sample);
  const { overall } = await workplace.backtest(sample.csv);
  const { by, tenths, observed } = overall.scores!;
  expect(overall.forecasts).toBe(known.length);
  expectWithin(observed, mean(known.map(({ chance }) => chance)));
  expectWithin(by.engine.bias, 0);
  expectWithin(by.engine.brier, trueBrier(known));
  expectWithin(by.engine.auc, trueAuc(known));
  expect(by.engine.calibrationError).toBeLessThan(0.01);
  for (const tenth of tenths) expectWithin(tenth.observed!, tenth.meanForecast!);
  const { out } = await workplace.run(workplace.file('calibrated.csv', sample.csv));
  expect(out).toContain('The level fits');
  expect(out).toContain('was better than the share passed so far');
});

it('habits of known chances have the truth within their intervals, in each kind too', async () => {
  const sample = SAMPLES.habits(1);
  const known = await knownOf(sample);
  const { overall, byKind } = await workplace.backtest(sample.csv);
  expect(byKind.map(({ name }) => name).sort()).toEqual([
    '3 times a week',
    '5 times a week',
    'every day',
    'once a week',
  ]);
  for (const { name, forecasts, scores } of [{ name: '', ...overall }, ...byKind]) {
    const own = known.filter(({ kind }) => name === '' || kind === name);
    expect(forecasts).toBe(own.length);
    expectWithin(scores!.observed, mean(own.map(({ chance }) => chance)));
    expectWithin(scores!.by.engine.brier, trueBrier(own));
    expectWithin(scores!.by.engine.auc, trueAuc(own));
    expectWithin(scores!.by.engine.bias, mean(own.map(({ given, chance }) => given - chance)));
  }
});

it('a shift halfway is visible', async () => {
  const { csv } = SAMPLES.shift(1);
  const { drift, byPeriod } = await workplace.backtest(csv);
  expect(drift).toMatchObject({ first: { observed: expect.any(Number) }, observedChange: { low: expect.any(Number) } });
  expect(drift!.first.observed).toBeLessThan(0.05);
  expect(drift!.second.observed).toBeGreaterThan(0.7);
  expect(drift!.observedChange.low).toBeGreaterThan(0.5);
  const shares = byPeriod.map(({ events, forecasts }) => events / forecasts);
  expect(Math.max(...shares.slice(0, 4))).toBeLessThan(0.1);
  expect(Math.min(...shares.slice(4))).toBeGreaterThan(0.5);
  const { out } = await workplace.run(workplace.file('shift.csv', csv));
  expect(out).toMatch(
    /What is forecast drifted: a lapse followed \d\.\d\s% of forecasts before 2024-09-0\d and 8\d\.\d\s% from then on/,
  );
});

it('a file without change tells of none', async () => {
  const { out } = await workplace.run(workplace.file('random.csv', SAMPLES.random(1).csv));
  expect(out).not.toContain('drifted');
});

it('chance has an AUC of about a half, and is said to be chance', async () => {
  const { csv } = SAMPLES.random(1);
  const { overall } = await workplace.backtest(csv);
  const { auc } = overall.scores!.by.engine;
  expectWithin(auc, 0.5);
  expect(Math.abs(auc.value - 0.5)).toBeLessThan(0.03);
  const { out } = await workplace.run(workplace.file('random.csv', csv));
  expect(out).toContain('The order is no better than chance');
});

it('is made again by the same seed', async () => {
  const [one, again, other] = await Promise.all(
    ['1', '1', '2'].map((seed) => workplace.run('--sample', 'habits', '--seed', seed)),
  );
  expect(one).toMatchObject({ code: 0, out: SAMPLES.habits(1).csv });
  expect(again).toEqual(one);
  expect(other!.out).not.toBe(one!.out);
});
