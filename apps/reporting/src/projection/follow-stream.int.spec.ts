import { ManualClock } from '@evenkeel/kernel';
import { loadConfig } from '@evenkeel/platform/config';
import { workerModule, workerReadiness } from '@evenkeel/platform/service';
import { audit } from '@evenkeel/ops/audit';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { REPORTING } from '../service';
import { ReportingConfig } from '../reporting.config';
import { LedgerStream } from '../revenue/ledger-stream.fixture';
import { aPayment } from '../revenue/story.fixture';
import { Freshness } from './freshness';
import { eventsOf, history, type History } from './history.fixture';
import { expectPayments, rebuilt, reportingDatabase } from './projection.fixture';

jest.setTimeout(90_000);

const DONE = { withinMs: 30_000 };
const [good, bad] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`];

let database: TestDatabase;
let ledger: LedgerStream;
let workers: INestApplicationContext[];
beforeEach(async () => {
  [database, ledger] = await Promise.all([reportingDatabase(), LedgerStream.open()]);
  workers = [];
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  await ledger.close();
  await database.drop();
});

const query = (sql: string, values?: unknown[]) => database.dataSource.query<unknown[]>(sql, values);

async function startWorker(): Promise<INestApplicationContext> {
  const config = loadConfig(ReportingConfig, { DATABASE_URL: database.url });
  const module = workerModule(REPORTING, config, ledger.broker);
  const worker = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  workers.push(await worker.init());
  return worker;
}

const lag = async () =>
  (await new Freshness(database.dataSource, new ManualClock(new Date(0))).read('reporting')).lagSeconds;
const isFresh = () => eventually(async () => (await lag()) === 0, DONE);
const expectAll = (story: History) => expectPayments(database.dataSource, story);
const programs = [
  { subscription: 'reporting', aggregates: 'wallets' },
  { subscription: 'reporting.subscriptions', aggregates: 'users' },
];
const rebuild = (...args: string[]) => rebuilt(database, programs, ...args);

it('applies events from before its start and new ones', async () => {
  const before = history(aPayment({ wallet: good }), aPayment({ wallet: good, states: ['settlement_pending'] }));
  await ledger.publish(eventsOf(before));
  const worker = await startWorker();
  await expectAll(before);
  const now = history(aPayment({ wallet: bad }));
  await ledger.publish(eventsOf(now));
  await expectAll(history(...before.payments, ...now.payments));
  expect(await workerReadiness(REPORTING, worker)()).toEqual({ database: true, events: true });
});

describe('npm run events:rebuild -- reporting', () => {
  const published = history(
    ...Array.from({ length: 1_200 }, (_, n) => aPayment({ wallet: n % 2 ? good : bad, amountMicros: 30_000 + n })),
  );

  it.each([1, 2])('ends with the same totals while %i workers run', async (workers) => {
    for (let worker = 0; worker < workers; worker++) await startWorker();
    await ledger.publish(eventsOf(published));
    await expectAll(published);
    await isFresh();
    // A wrong sum, and a missing payment.
    await query(`UPDATE daily_totals SET gross_micros = 1`);
    await query(`DELETE FROM payments WHERE wallet = $1`, [good]);
    expect(await audit(database.dataSource)).not.toEqual([]);

    const { code, out } = await rebuild('reporting');
    expect([code, out]).toEqual([0, expect.stringContaining('Rebuilt from 1200 events.')]);
    await expectAll(published);
    await isFresh();

    // It continues to read.
    const later = aPayment({ wallet: good });
    await ledger.publish(eventsOf(history(later)));
    await expectAll(history(...published.payments, later));
  });

  it('ends with a sentence when the database cuts its connection between two looks', async () => {
    await startWorker();
    await isFresh();
    await workers.pop()!.close();
    const rebuilding = rebuild('reporting');
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%FROM rebuilds r JOIN%' AND state = 'idle'`;
    await eventually(async () => expect(await query(cut)).toHaveLength(1));
    expect(await rebuilding).toMatchObject({ code: 2, err: expect.stringMatching(/^.*connection.*\n$/i) });
  });

  it('says what to do when no worker runs; the next one does it', async () => {
    const few = history(aPayment({ wallet: good }));
    await startWorker();
    await ledger.publish(eventsOf(few));
    await expectAll(few);
    await isFresh();
    await workers.pop()!.close();
    await query('UPDATE daily_totals SET gross_micros = 1');
    const refused = await rebuild('reporting', '--within', '0.5');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('is one running?')]);
    await startWorker();
    await eventually(async () => expect(await audit(database.dataSource)).toEqual([]), DONE);
    await expectAll(few);
  });

  it('refuses arguments that it does not understand', async () => {
    const refusal = expect.stringContaining('It must be a number from 0.001 to 1000000.') as string;
    expect(await rebuild('reporting', '--within', 'soon')).toMatchObject({ code: 2, err: refusal });
    const usage = expect.stringContaining('whose tables (choices: "reporting", "reporting.subscriptions")') as string;
    expect(await rebuild('--help')).toMatchObject({ code: 0, out: usage });
  });

  it('asks for nothing in the database of another service', async () => {
    await query(`DELETE FROM progress WHERE subscription = 'reporting.subscriptions'`);
    const err = 'DATABASE_URL is not the database of reporting.\n';
    expect(await rebuild('reporting.subscriptions')).toEqual({ code: 2, out: '', err });
    expect(await query('SELECT FROM rebuilds')).toEqual([]);
  });

  it('does not interrupt a reader', async () => {
    await startWorker();
    await ledger.publish(eventsOf(published));
    await expectAll(published);
    const reader = database.dataSource.createQueryRunner();
    await reader.startTransaction();
    await reader.query('SELECT FROM wallet_totals');
    const rebuilding = rebuild('reporting');
    const isWaiting = `SELECT FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    await eventually(async () => (await query(isWaiting)).length > 0, DONE);
    await expect(reader.query('SELECT FROM payments, daily_totals')).resolves.toBeDefined();
    await reader.commitTransaction();
    await reader.release();
    expect((await rebuilding).code).toBe(0);
    await expectAll(published);
  });
});
