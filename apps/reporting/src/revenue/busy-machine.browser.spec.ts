import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { seed } from '@evenkeel/ops/seed';
import { openBrowser } from '@evenkeel/services/browser';
import { LAST_DAY } from '../projection/history.fixture';
import { Reporting, TOKEN } from './reporting.fixture';

const PAYMENTS = sized(20_000, 3_000_000);
const TRIES = sized(4, 50);
const LIMIT_MS = sized(180_000, 1_800_000);

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
  const business = { payments: PAYMENTS, days: 365, wallets: PAYMENTS / 50, subscriptions: PAYMENTS / 50 };
  await seed(reporting.database.url, { ...business, seed: 1, until: LAST_DAY, replace: false }, () => undefined);
}, LIMIT_MS);
afterAll(() => reporting.close());

/** Two programs for each processor that do nothing but use it. */
class BusyMachine implements AsyncDisposable {
  private readonly burners: readonly ChildProcess[];

  /** @param atMostMs they end themselves then */
  constructor(atMostMs: number) {
    const burn = `const end = Date.now() + ${atMostMs}; while (Date.now() < end);`;
    this.burners = Array.from({ length: 2 * availableParallelism() }, () => spawn(process.execPath, ['-e', burn]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.burners.map((burner) => once(burner, 'exit'));
    for (const burner of this.burners) burner.kill();
    await Promise.all(ended);
  }
}

/** The requests of the page for a period, below `/v1/admin/revenue/`. */
async function askedByPage(hash: string): Promise<string[]> {
  const root = `${reporting.running.url}/v1/admin/revenue/`;
  const browser = await openBrowser();
  const page = await browser.newPage();
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().startsWith(root)) asked.push(request.url().slice(root.length));
  });
  await page.goto(`${reporting.running.url}/dashboard${hash}`);
  await page.getByLabel('Operator token').fill(TOKEN);
  await page.keyboard.press('Enter');
  await page.locator('.chip').first().waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await browser.close();
  return [...new Set(asked)];
}

it.each(sized(['#days=364'], ['#days=28', '#days=182', '#days=364']))(
  `the page of ${PAYMENTS} payments is answered as often as it is asked on a busy machine: %s`,
  async (hash) => {
    const questions = await askedByPage(hash);
    const names = questions.map((question) => question.split('?')[0]);
    expect(names).toEqual(expect.arrayContaining(['summary', 'endpoints', 'timeseries', 'payments', 'customers']));
    expect(questions.filter((question) => question.includes('compare=previous')).length).toBeGreaterThanOrEqual(3);

    await using _busy = new BusyMachine(LIMIT_MS);
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      // All at once, as the page does.
      const answers = await Promise.all(questions.map((question) => reporting.read(question)));
      const refused = answers.flatMap(({ status }, place) => (status === 200 ? [] : [[questions[place], status]]));
      expect({ attempt, refused }).toEqual({ attempt, refused: [] });
    }
  },
  LIMIT_MS,
);
