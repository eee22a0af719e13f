import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppRegistry } from '../observability';
import { eventually } from '../testing';
import { ScrapedPage } from '../testing/scrape';
import { BackgroundWorker, type WorkerJob } from './background-worker';

const often = { everyMs: 1, withinMs: 60_000 };

@Injectable()
class SweepAndPaint extends BackgroundWorker {
  isBroken = true;
  swept = 0;
  counted = 0;
  isPainting = false;
  protected readonly jobs: readonly WorkerJob[] = [
    { name: 'sweep', ...often, failure: 'the floor could not be swept', run: () => this.sweep() },
    { name: 'paint', ...often, run: (isLate) => this.paint(isLate) },
    { name: 'rest', ...often, firstAfterMs: 3_600_000, run: () => Promise.reject(new Error('too early')) },
    // At once while there is more to do, then after a pause.
    { name: 'count', everyMs: 3_600_000, withinMs: 60_000, run: async () => ++this.counted < 3 },
    { name: 'dawdle', everyMs: 3_600_000, withinMs: 20, run: (isLate) => eventually(isLate).then(() => false) },
  ];

  private async sweep(): Promise<boolean> {
    this.swept++;
    if (this.isBroken) throw new Error('no broom');
    return false;
  }

  private async paint(isLate: () => boolean): Promise<boolean> {
    this.isPainting = true;
    await eventually(isLate);
    this.isPainting = false;
    return true;
  }
}

@Module({ providers: [AppRegistry, SweepAndPaint] })
class HouseModule {}

it('begins and ends with the application, counts every run, and logs an outage once', async () => {
  const warned: object[] = [];
  const log = () => undefined;
  const logger = { log, error: log, debug: log, verbose: log, warn: (line: object) => void warned.push(line) };
  const house = await NestFactory.createApplicationContext(HouseModule, { logger });
  const worker = house.get(SweepAndPaint);
  const runs = async (duty: string, outcome: string) =>
    new ScrapedPage(await house.get(AppRegistry).metrics()).value('evenkeel_worker_duty_seconds_count', {
      duty,
      outcome,
    });

  await eventually(() => expect(worker.swept).toBeGreaterThan(3));
  const line = { message: 'the floor could not be swept', duty: 'sweep', error: new Error('no broom') };
  expect(warned).toEqual([expect.objectContaining(line)]);
  expect(await runs('sweep', 'failed')).toBeGreaterThan(3);
  worker.isBroken = false;
  await eventually(async () => expect(await runs('sweep', 'done')).toBeGreaterThan(0));
  worker.isBroken = true;
  await eventually(() => expect(warned).toHaveLength(2));

  await eventually(async () => expect(await runs('dawdle', 'done')).toBe(1));
  expect([worker.counted, await runs('count', 'done')]).toEqual([3, 3]);
  expect(worker.isPainting).toBe(true);
  await house.close();
  expect(worker.isPainting).toBe(false);
  expect(await runs('paint', 'done')).toBe(1);
  expect(await runs('rest', 'failed')).toBeUndefined();
});
