import { COINS, KINDS, Workplace } from '../backtest.fixture';
import type { Measure } from '../figures/bootstrap';
import { readFile, Rejects } from '../reading/read-file';
import { walk } from '../run';
import { calibratedTasks } from './calibrated-tasks';

const workplace = new Workplace();
afterAll(() => workplace.remove());

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function expectWithin({ low, high }: Measure, truth: number): void {
  expect(low).toBeLessThanOrEqual(truth);
  expect(high).toBeGreaterThanOrEqual(truth);
}

it('a calibrated file has the truth within every interval', async () => {
  const { csv, truth } = calibratedTasks(1);
  const file = await readFile(Buffer.from(csv), { rejects: new Rejects(), today: 30_000 });
  const known = walk(file).flatMap(({ name, given }) =>
    given.engine.map((forecast, at) => ({ forecast, chance: truth.get(name)![at]! })),
  );
  const { overall } = await workplace.backtest(csv);
  const { by, tenths, observed, bias } = overall.scores!;
  expect(overall.forecasts).toBe(known.length);
  expectWithin(observed, mean(known.map(({ chance }) => chance)));
  expectWithin(bias, 0);
  expectWithin(
    by.engine.brier,
    mean(known.map(({ forecast, chance }) => (forecast - chance) ** 2 + chance * (1 - chance))),
  );
  for (const tenth of tenths) expectWithin(tenth.observed!, tenth.meanForecast!);
  const { out } = await workplace.run(workplace.file('calibrated.csv', csv));
  expect(out).toContain('The level fits');
  expect(out).toContain('was better than the share passed so far');
});

it('kinds of habits are told apart', async () => {
  const { byKind, byPeriod } = await workplace.backtest(KINDS);
  expect(byKind.map(({ name }) => name).sort()).toEqual([
    '3 times a week',
    '5 times a week',
    'every day',
    'once a week',
  ]);
  expect(byKind.every(({ scores }) => scores!.by.engine.auc.low! > 0.5)).toBe(true);
  expect(byPeriod).toHaveLength(8);
});

it('a shift halfway shows in the periods', async () => {
  const lines = COINS.split('\r\n').map((line) =>
    /,2024-0[1-8]/.test(line) ? line.replace(',no,', ',yes,') : line.replace(',yes,', ',no,'),
  );
  const { byPeriod } = await workplace.backtest(lines.join('\n'));
  const shares = byPeriod.map(({ events, forecasts }) => events / forecasts);
  expect([shares[0], shares.at(-1)]).toEqual([0, 1]);
});

it('chance has an AUC of about a half, and is said to be chance', async () => {
  const { auc } = (await workplace.backtest(COINS)).overall.scores!.by.engine;
  expectWithin(auc, 0.5);
  expect(Math.abs(auc.value - 0.5)).toBeLessThan(0.03);
  const { out } = await workplace.run(workplace.file('random.csv', COINS));
  expect(out).toContain('The order is no better than chance');
});

it('is made again by the same seed', async () => {
  const [one, again, other] = await Promise.all(
    ['1', '1', '2'].map((seed) => workplace.run('--sample', 'calibrated', '--seed', seed)),
  );
  expect(one).toMatchObject({ code: 0, out: calibratedTasks(1).csv });
  expect(again).toEqual(one);
  expect(other!.out).not.toBe(one!.out);
});
