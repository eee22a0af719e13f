import { fill } from '../messaging/messaging.fixture';
import { eventually } from '../testing';
import { runRebuild } from './rebuild';
import { DONE, ItemsService, LIDS, StoreLids } from './items-service.fixture';

const programs = [
  { subscription: 'items', aggregates: 'boxes' },
  { subscription: 'items.lids', aggregates: 'boxes' },
];

let service: ItemsService;
beforeEach(async () => (service = await ItemsService.open()));
afterEach(() => service.close());

const APPLIED = 'SELECT applied::integer FROM progress ORDER BY subscription';

const rebuild = (...args: string[]) => rebuildOf('items', ...args);

async function rebuildOf(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const streams = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const code = await runRebuild(programs, args, { DATABASE_URL: service.database.url }, streams);
  return { code, out, err };
}

describe('a projection', () => {
  it('applies events from before its first start and those that come later', async () => {
    await fill(service.database.dataSource, 'red', [1, 2, 3]);
    const worker = service.startWorker();
    await service.expectTotals(3);
    expect(worker.isAlive()).toBe(true);
    await fill(service.database.dataSource, 'blue', [1]);
    await service.expectTotals(4);
    // Two consumers get an event, which is one event.
    expect(await service.query(APPLIED)).toEqual([{ applied: 4 }, { applied: 0 }]);
  });
});

describe('a rebuild', () => {
  it('ends with the same totals', async () => {
    service.startWorker();
    await fill(service.database.dataSource, 'red', [1, 2, 3]);
    await service.expectTotals(3);
    await service.isFresh();
    await service.query('UPDATE item_totals SET items = 7');
    await service.query('DELETE FROM items WHERE item = 2');
    const { code, out } = await rebuild();
    expect([code, out]).toEqual([0, expect.stringContaining('Rebuilt from 3 events.')]);
    await service.expectTotals(3);
  });

  it('says what to do when no worker runs; the next one does it', async () => {
    await fill(service.database.dataSource, 'red', [1, 2]);
    service.startWorker();
    await service.expectTotals(2);
    await service.isFresh();
    await service.stopWorkers();
    await service.query('UPDATE item_totals SET items = 7');
    const refused = await rebuild('--within', '0.5');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('is one running?')]);
    service.startWorker();
    await service.expectTotals(2);
  });

  it('of one subscription leaves the others of its database alone', async () => {
    service.startWorker();
    service.startWorker(LIDS, [new StoreLids()]);
    await fill(service.database.dataSource, 'red', [1, 2, 3]);
    await service.expectTotals(3);
    await eventually(async () => expect(await service.query(APPLIED)).toEqual([{ applied: 3 }, { applied: 3 }]), DONE);
    await service.query(`UPDATE lids SET box = 'blue'`);
    const others = `SELECT message_id FROM inbox WHERE consumer = 'items.lids' ORDER BY message_id`;
    const seen = await service.query(others);
    expect((await rebuild()).code).toBe(0);
    await service.expectTotals(3);
    expect(await service.query('SELECT DISTINCT box FROM lids')).toEqual([{ box: 'blue' }]);
    expect(await service.query(others)).toEqual(seen);

    const { code, out } = await rebuildOf('items.lids');
    expect([code, out]).toEqual([0, expect.stringContaining('Rebuilt from 3 events.')]);
    expect(await service.query('SELECT DISTINCT box FROM lids')).toEqual([{ box: 'red' }]);
    await fill(service.database.dataSource, 'red', [4]);
    await service.expectTotals(4);
    await eventually(async () => expect(await service.query(APPLIED)).toEqual([{ applied: 4 }, { applied: 4 }]), DONE);
  });

  it('refuses arguments that it does not understand', async () => {
    expect(await rebuild('--within', 'soon')).toMatchObject({ code: 2, err: expect.stringContaining('--within') });
    expect(await rebuild('--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('npm run events:rebuild -- <subscription>     items or items.lids'),
    });
  });
});
