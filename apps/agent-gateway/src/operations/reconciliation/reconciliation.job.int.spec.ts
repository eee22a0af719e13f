import { createLogger, NestPinoLogger } from '@evenkeel/platform/observability';
import { eventually } from '@evenkeel/platform/testing';
import { Logger } from '@nestjs/common';
import { startGateway, type Gateway } from '../../gateway.fixture';
import { onlyOne, ReconciliationJob } from './reconciliation.job';
import { ReconciliationModule } from './reconciliation.module';

class Hourly {}
const modules = [{ module: Hourly, imports: [ReconciliationModule], providers: [ReconciliationJob] }];

const lines: Record<string, unknown>[] = [];
const destination = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) };

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ chain: true, modules, settings: { RECONCILE_EVERY_SECONDS: '1' } });
  Logger.overrideLogger(new NestPinoLogger(createLogger('agent-gateway-worker', { destination })));
});
afterAll(() => gateway.close());

const newest = (level: string) => lines.findLast((line) => line['level'] === level);

it('says in one line that everything agrees, and raises an alert when it does not', async () => {
  const payment = await gateway.aBuyer().sign();
  expect((await gateway.pay(payment)).status).toBe(200);
  gateway.clock.advanceMs(20 * 60_000);

  const agreed = { message: 'reconciled', outbox: { matched: 1 }, chain: { matched: 1, oursOnly: 0, theirsOnly: 0 } };
  await eventually(() => expect(newest('info')).toMatchObject({ ...agreed, complete: true, needPerson: 0 }));
  expect(newest('error')).toBeUndefined();

  await gateway.ledger.dataSource.query('DELETE FROM outbox');
  await eventually(() => {
    expect(newest('error')).toMatchObject({
      message: expect.stringContaining('npm run reconcile'),
      context: 'reconciliation',
      outbox: { matched: 0, oursOnly: 1 },
      differences: [{ nonce: payment.nonce }],
    });
  });
});

it('goes on after the chain could not be read', async () => {
  gateway.facilitator.control({ mode: '500', on: 'rpc' });
  await eventually(() => expect(newest('warn')).toMatchObject({ message: 'the ledger could not be reconciled' }));
  gateway.facilitator.control({ mode: 'ok' });
  const seen = lines.length;
  await eventually(() => expect(lines.slice(seen).map(({ level }) => level)).toContain('error'));
});

it('is done by one at a time', async () => {
  const { dataSource } = gateway.ledger;
  const done: string[] = [];
  const first = await onlyOne(dataSource, 1, async () => {
    const second = await onlyOne(dataSource, 1, async () => void done.push('second'));
    const other = await onlyOne(dataSource, 2, async () => void done.push('other'));
    expect([second, other]).toEqual([false, true]);
  });
  await expect(onlyOne(dataSource, 1, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  const again = await onlyOne(dataSource, 1, async () => void done.push('again'));
  expect([first, again, done]).toEqual([true, true, ['other', 'again']]);
});
