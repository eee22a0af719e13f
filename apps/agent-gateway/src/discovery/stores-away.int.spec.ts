import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { startRedis, type RunningRedis } from '@evenkeel/services';
import { DatabaseLine } from '@evenkeel/platform/testing';
import { aGateway } from '../gateway.fixture';
import { DOCUMENT_PATHS, FILE_PATHS } from './documents';

/** Half of what the shortest wait for a database took; a busy machine has three turns. */
const SOON_MS = 500;
const TURNS = 3;

let redis: RunningRedis;
let line: DatabaseLine;
const first = aGateway();
const gateway = aGateway(async () => {
  redis = await startRedis();
  line = await DatabaseLine.to(first.database.url);
  return { besides: first, settings: { DATABASE_URL: line.url, REDIS_URL: redis.url } };
});
afterAll(async () => {
  line.cut();
  await redis.stop();
});

const DOCUMENTS = ['/health', '/agent/v1/pricing', ...DOCUMENT_PATHS, ...FILE_PATHS];
const free = DOCUMENTS.map((path) => ({ path, status: 200, ask: () => gateway.send(path) }));
const unpaid = PAID_ENDPOINTS.map(({ path, exampleInput }) => ({
  path,
  status: 402,
  ask: () => gateway.send(path, { method: 'POST', body: JSON.stringify(exampleInput) }),
}));

/** @returns the shortest time to the answer, in milliseconds: who waits for a store waits each time */
async function quickest({ path, status, ask }: (typeof free)[number]): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const begun = performance.now();
    expect([path, (await ask()).status]).toEqual([path, status]);
    times.push(performance.now() - begun);
  }
  return Math.min(...times);
}

describe.each<[string, () => unknown, () => unknown]>([
  ['the database hangs', () => line.hang(), () => line.mend()],
  ['Redis hangs', () => redis.freeze(), () => redis.thaw()],
])('while %s', (_, breakDown, mend) => {
  beforeAll(() => breakDown());
  afterAll(() => mend());

  it('no document and no unpaid 402 waits for it, also beside calls that do', async () => {
    const paying = Promise.all(Array.from({ length: 20 }, async () => gateway.pay(await gateway.aBuyer().sign())));
    const slow: string[] = [];
    for (const one of [...free, ...unpaid]) if ((await quickest(one)) > SOON_MS) slow.push(one.path);
    expect(slow).toEqual([]);
    await paying;
  });
});
