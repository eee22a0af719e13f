import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CONSUMER_CRASH_POINTS } from '@evenkeel/platform/messaging';
import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import { programArguments } from '@evenkeel/services/programs';
import { aPayment } from '../revenue/story.fixture';
import { eventsOf, history, LAST_DAY, type PaymentStory } from './history.fixture';
import { projectedFigures } from './projected-figures.fixture';
import { countedFigures } from './counted-figures.fixture';
import { ReportingSite } from './reporting-site.fixture';

jest.setTimeout(120_000);

const WALLETS = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`);

let site: ReportingSite;
beforeAll(async () => (site = await ReportingSite.open()));
afterAll(() => site.close());

/** @returns the signal that ended it */
async function workUntilItDies(point: string): Promise<NodeJS.Signals | null> {
  const { PATH, HOME } = process.env;
  const settings = {
    DATABASE_URL: site.database.url,
    LEDGER_URL: site.ledger.database.url,
    CRASH_AT: `reporting:${point}`,
  };
  const program = spawn(process.execPath, programArguments('apps/reporting/src/projection/worker-program.fixture.ts'), {
    cwd: join(__dirname, '../../../..'),
    env: { PATH, HOME, ...settings },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [, signal] = (await once(program, 'close')) as [unknown, NodeJS.Signals | null];
  return signal;
}

const published: PaymentStory[] = [];

it.each(CONSUMER_CRASH_POINTS)(
  'killed at %s, it goes on after a restart, and every event counts once',
  async (point) => {
    const more = WALLETS.flatMap((wallet) => [
      aPayment({ wallet }),
      aPayment({ wallet, states: ['settlement_pending', 'settled'] }),
      aPayment({ wallet, states: ['settlement_failed'] }),
    ]);
    published.push(...more);
    await site.ledger.publish(eventsOf(history(...more)));
    expect(await workUntilItDies(point)).toBe('SIGKILL');

    await site.startWorker();
    const expected = countedFigures(history(...published), LAST_DAY);
    await eventually(async () => expect(await projectedFigures(site.database.dataSource, LAST_DAY)).toEqual(expected), {
      withinMs: 30_000,
    });
    await site.stopWorkers();
    expect(await audit(site.database.dataSource)).toEqual([]);
  },
);
