import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { seed } from '@evenkeel/ops/seed';
import { operatorBrowser, REVENUE } from '../dashboard/operator-browser.fixture';
import { LAST_DAY } from '../projection/history.fixture';

const PAYMENTS = sized(20_000, 3_000_000);
const TRIES = sized(4, 50);
const LIMIT_MS = sized(180_000, 1_800_000);

const operator = operatorBrowser();
beforeAll(async () => {
  const business = { payments: PAYMENTS, days: 365, wallets: PAYMENTS / 50, subscriptions: PAYMENTS / 50 };
  const { url } = operator.reporting.database;
  await seed(url, { ...business, seed: 1, until: LAST_DAY, replace: true }, () => undefined);
}, LIMIT_MS);

it.each(sized(['#days=364'], ['#days=28', '#days=182', '#days=364']))(
  `the page of ${PAYMENTS} payments is answered as often as it is asked on a busy machine: %s`,
  async (hash) => {
    const { asked } = await operator.openNumbers({ hash });
    const questions = [...new Set(asked)].map((path) => path.slice(`${REVENUE}/`.length));
    const names = questions.map((question) => question.split('?')[0]);
    expect(names).toEqual(expect.arrayContaining(['summary', 'endpoints', 'timeseries', 'payments', 'customers']));
    expect(questions.filter((question) => question.includes('compare=previous')).length).toBeGreaterThanOrEqual(3);

    // Two programs for each processor do nothing but use it; they end themselves then.
    const burn = `const end = Date.now() + ${LIMIT_MS}; while (Date.now() < end);`;
    const burners = Array.from({ length: 2 * availableParallelism() }, () => spawn(process.execPath, ['-e', burn]));
    try {
      for (let attempt = 1; attempt <= TRIES; attempt++) {
        // All at once, as the page does.
        const answers = await Promise.all(questions.map((question) => operator.reporting.read(question)));
        const refused = answers.flatMap(({ status }, place) => (status === 200 ? [] : [[questions[place], status]]));
        expect({ attempt, refused }).toEqual({ attempt, refused: [] });
      }
    } finally {
      const ended = burners.map((burner) => once(burner, 'exit'));
      for (const burner of burners) burner.kill();
      await Promise.all(ended);
    }
  },
  LIMIT_MS,
);
