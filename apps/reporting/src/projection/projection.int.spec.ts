import { runRebuild } from '@evenkeel/ops/events';
import { ItemsService, LIDS } from './items-service.fixture';

const programs = [
  { subscription: 'items', aggregates: 'boxes' },
  { subscription: 'items.lids', aggregates: 'boxes' },
];

let service: ItemsService;
beforeEach(async () => (service = await ItemsService.open()));
afterEach(() => service.close());

async function rebuild(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const streams = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const code = await runRebuild(programs, args, { DATABASE_URL: service.database.url }, streams);
  return { code, out, err };
}

/** Of `items` and of `items.lids`; two consumers get an event, which is one event. */
const hasApplied = (items: number, lids: number) =>
  service.has('SELECT applied::integer FROM progress ORDER BY subscription', [{ applied: items }, { applied: lids }]);

it('a projection applies events from before its first start and those that come later', async () => {
  await service.fill('red', [1, 2, 3]);
  const worker = service.startWorker();
  await service.hasTotals(3);
  expect(worker.isAlive()).toBe(true);
  await service.fill('blue', [1]);
  await service.hasTotals(4);
  await hasApplied(4, 0);
});

describe('a rebuild', () => {
  it('says what to do when no worker runs; the next one does it', async () => {
    service.startWorker();
    await service.fill('red', [1, 2]);
    await service.hasTotals(2);
    await service.isFresh();
    await service.stopWorkers();
    await service.query('UPDATE item_totals SET items = 7');
    const refused = await rebuild('items', '--within', '0.5');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('is one running?')]);
    service.startWorker();
    await service.hasTotals(2);
  });

  it('ends with the same totals, and leaves the other subscriptions of its database alone', async () => {
    service.startWorker();
    service.startWorker(LIDS);
    await service.fill('red', [1, 2, 3]);
    await hasApplied(3, 3);
    await service.query('UPDATE item_totals SET items = 7');
    await service.query('DELETE FROM items');
    await service.query(`UPDATE lids SET box = 'blue'`);
    const others = `SELECT message_id FROM inbox WHERE consumer = 'items.lids' ORDER BY message_id`;
    const seen = await service.query(others);
    const rebuilt = { code: 0, out: expect.stringContaining('Rebuilt from 3 events.') as string };
    expect(await rebuild('items')).toMatchObject(rebuilt);
    await service.hasTotals(3);
    expect(await service.query('SELECT DISTINCT box FROM lids')).toEqual([{ box: 'blue' }]);
    expect(await service.query(others)).toEqual(seen);

    expect(await rebuild('items.lids')).toMatchObject(rebuilt);
    expect(await service.query('SELECT DISTINCT box FROM lids')).toEqual([{ box: 'red' }]);
    await service.fill('red', [4]);
    await hasApplied(4, 4);
  });

  it('refuses arguments that it does not understand', async () => {
    expect(await rebuild('items', '--within', 'soon')).toMatchObject({
      code: 2,
      err: expect.stringContaining('It must be a number from 0.001 to 1000000.') as string,
    });
    expect(await rebuild('--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('whose tables (choices: "items", "items.lids")') as string,
    });
  });
});
