import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import * as engine from '@evenkeel/scoring';
import { startGateway, type Gateway } from '../gateway.fixture';

const PATH = '/agent/v1/vectors';

interface Vectors {
  engine_version: string;
  functions: {
    function: string;
    endpoint: string | null;
    vectors: { name: string; input: object; output: Record<string, unknown> }[];
  }[];
}

let gateway: Gateway;
let vectors: Vectors;
beforeAll(async () => {
  gateway = await startGateway();
  vectors = (await gateway.send(PATH)).body as unknown as Vectors;
});
afterAll(() => gateway.close());

const ofEndpoint = (path: string) => vectors.functions.find(({ endpoint }) => endpoint === path)!;

it('are those of the engine that answers, all of them', () => {
  const folder = dirname(require.resolve(`@evenkeel/scoring/vectors/${engine.ENGINE_VERSION}/analyzeHabits.json`));
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  expect(vectors.functions.map((one) => `${one.function}.json`).sort()).toEqual(files.sort());
  expect(vectors.engine_version).toBe(engine.ENGINE_VERSION);
  expect(vectors.functions.every((one) => one.vectors.length >= 5)).toBe(true);
});

it('come out of the engine byte for byte', () => {
  const functions = engine as unknown as Record<string, (input: object) => object>;
  for (const { function: name, vectors: cases } of vectors.functions) {
    for (const { input, output } of cases) expect(JSON.stringify(functions[name]!(input))).toBe(JSON.stringify(output));
  }
});

it.each(PAID_ENDPOINTS.map((endpoint) => [endpoint.path, endpoint] as const))(
  '%s sells what its vectors say',
  async (path, endpoint) => {
    const { input, output } = ofEndpoint(path).vectors.find(({ name }) => name === 'published example')!;
    const reply = await gateway.pay(await gateway.aBuyer().sign({ endpoint }), { endpoint, body: input });
    expect([reply.headers.get('x-engine-version'), reply.text]).toEqual([
      vectors.engine_version,
      JSON.stringify(output),
    ]);
  },
);

it('are stored by caches and not sent twice', async () => {
  const [get, head] = [await gateway.send(PATH), await gateway.send(PATH, { method: 'HEAD' })];
  const facts = ({ status, headers }: typeof get) => [status, headers.get('cache-control'), headers.get('etag')];
  const etag = get.headers.get('etag')!;
  expect(facts(get)).toEqual([200, 'public, max-age=300', expect.stringMatching(/^"[\w-]+"$/)]);
  expect([facts(head), head.text]).toEqual([facts(get), '']);
  const again = await gateway.send(PATH, { headers: { 'if-none-match': etag } });
  expect([facts(again), again.text]).toEqual([[304, 'public, max-age=300', etag], '']);
});

it('are free of charge, and counted as other documents are', async () => {
  const { headers } = await gateway.send(PATH);
  expect([headers.get('ratelimit-policy'), headers.get('access-control-allow-origin')]).toEqual([
    '"discovery";q=600000;w=60',
    '*',
  ]);
});
