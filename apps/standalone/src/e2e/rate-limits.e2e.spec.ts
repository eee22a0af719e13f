import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { startRedis, type RunningRedis } from '@evenkeel/services';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { gatewayDatabase, gatewayEnv, startGateway, type Gateway } from './gateway-programs.fixture';
import { LimitedLoad, type Seen } from './limited-load.fixture';
import { stopPrograms } from './program.fixture';

const LIMIT = 100;
/** What a fault may add to a call, three times over for a machine that has other work. */
const SLOWER_MS = 150 * 3;

let redis: RunningRedis;
let database: TestDatabase;
let gateways: Gateway[];

beforeAll(async () => {
  const [facilitator, ledger, server] = await Promise.all([
    FacilitatorProgram.start(),
    gatewayDatabase(),
    startRedis(),
  ]);
  [database, redis] = [ledger, server];
  const env = {
    ...gatewayEnv(database, facilitator),
    REDIS_URL: redis.url,
    REPLICA_COUNT: '2',
    TRUSTED_PROXY_HOPS: '1',
    RATE_LIMIT_SCALE: '1',
    RATE_AGENT_ADDRESS: `${LIMIT}/60`,
  };
  gateways = await Promise.all([startGateway(env), startGateway(env)]);
}, 120_000);

afterAll(async () => {
  await stopPrograms();
  await redis?.stop();
  await database?.drop();
}, 60_000);

const loads: LimitedLoad[] = [];
function aLoad(): LimitedLoad {
  const urls = gateways.map(({ url }) => url);
  const load = new LimitedLoad(urls, `192.0.2.${loads.length}`);
  loads.push(load);
  return load;
}
afterAll(() => Promise.all(loads.map((load) => load.close())));

/** The lines of each gateway on how it counts, from now on, one word for each change. */
function changesFromNow(): () => string[][] {
  const words = ({ program }: Gateway) => program.output.match(/counts? (for itself|together again)/g) ?? [];
  const before = gateways.map((gateway) => words(gateway).length);
  return () => gateways.map((gateway, index) => words(gateway).slice(before[index]));
}
const allCountTogether = () =>
  eventually(() => gateways.every(({ program }) => !/for itself(?![^]*together again)/.test(program.output)), {
    withinMs: 5_000,
  });
const counted = (calls: Seen[], status: number) => calls.filter((call) => call.status === status).length;

it('two gateways with one Redis hold one limit', async () => {
  let load: LimitedLoad;
  let changes: () => string[][];
  // When the machine is so busy that Redis takes 100 ms, a gateway counts alone for a moment: then it is tried again.
  do {
    await allCountTogether();
    changes = changesFromNow();
    load = aLoad();
    await load.run(250);
  } while (changes().flat().length > 0);
  expect([counted(load.greedy, 402), counted(load.greedy, 429)]).toEqual([LIMIT, 25]);
  expect(counted(load.others, 402)).toBe(125);
}, 60_000);

it.each<[string, () => void | Promise<void>, () => void | Promise<void>]>([
  ['killed', () => redis.kill(), () => redis.restart()],
  ['frozen', () => redis.freeze(), () => redis.thaw()],
])(
  'Redis %s under load: no 5xx, nobody waits, limits hold within a factor of 2',
  async (_, fault, repair) => {
    await allCountTogether();
    const changes = changesFromNow();
    const usual = aLoad();
    await usual.prepare(500);
    await usual.run(500);
    const load = aLoad();
    await load.prepare(1_200);

    await load.run(600, fault);
    await eventually(() => changes().every((words) => words.includes('counts for itself')));
    await repair();
    await allCountTogether();
    await load.run(600);

    expect(load.all.filter(({ status }) => ![200, 402, 429].includes(status))).toEqual([]);
    expect(load.slowestMs(402, 429)).toBeLessThan(usual.slowestMs(402, 429) + SLOWER_MS);
    // A paid call also waits for the ledger and the facilitator, with Redis or without.
    expect(load.slowestMs(200)).toBeLessThan(usual.slowestMs(200) + SLOWER_MS);
    expect(counted(load.others, 200)).toBe(48);
    expect(counted(load.greedy, 402)).toBeGreaterThanOrEqual(LIMIT / 2);
    expect(counted(load.greedy, 402)).toBeLessThanOrEqual(2 * LIMIT);
  },
  60_000,
);
