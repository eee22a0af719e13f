import fc from 'fast-check';
import { aPayment, base, FacilitatorAtNoon } from '../payment.fixture';
import { startFacilitator } from '../start-facilitator';

let facilitator: FacilitatorAtNoon;
beforeAll(async () => {
  facilitator = await FacilitatorAtNoon.start();
});
afterAll(() => facilitator.running.close());

const post = ['/verify', '/settle', '/rpc', '/control'];

it.each(post)('%s: a body that is not JSON is a 400, one over the cap a 413', async (path) => {
  expect(await facilitator.post(path, '{"x402Version": 2')).toMatchObject({
    status: 400,
    body: { error: 'malformed_json' },
  });
  expect(await facilitator.post(path, ' '.repeat(131_073))).toMatchObject({ status: 413 });
});

it.each([null, 1, '"x"', [], {}, { x402Version: 1 }, { x402Version: 2, paymentPayload: [] }])(
  'verify and settle: %j is a 400 in their own words',
  async (body) => {
    expect(await facilitator.verify(body)).toMatchObject({ status: 400, body: { isValid: false } });
    expect(await facilitator.settle(body)).toMatchObject({ status: 400, body: { success: false, transaction: '' } });
  },
);

it('survives any value in the place of a member', async () => {
  const good = await aPayment();
  const paths = membersOf(good);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 2 }), async (path, value) => {
      const bad = structuredClone(good) as Record<string, unknown>;
      put(bad, path, value);
      for (const answer of [await facilitator.verify(bad), await facilitator.settle(bad)]) {
        expect(answer.status).toBeLessThan(500);
        expect(answer.body).toHaveProperty(answer.body.success === undefined ? 'isValid' : 'success');
      }
    }),
    { numRuns: 150 },
  );
});

it('has no test addresses unless they are switched on', async () => {
  const plain = await startFacilitator({ port: 0, chain: base });
  for (const [path, method] of [
    ['/control', 'POST'],
    ['/ledger', 'GET'],
  ]) {
    expect((await fetch(plain.url + path, { method })).status).toBe(404);
  }
  expect((await fetch(`${plain.url}/constructor`)).status).toBe(404);
  await plain.close();
});

it('says which port is taken', async () => {
  const port = Number(new URL(facilitator.running.url).port);
  await expect(startFacilitator({ port, chain: base })).rejects.toThrow(`Port ${port} of 127.0.0.1 is taken`);
});

/** Path of every member, at every depth. */
function membersOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  const deeper = Object.entries(value).flatMap(([name, member]) => membersOf(member, [...path, name]));
  return path.length > 0 ? [path, ...deeper] : deeper;
}

function put(target: Record<string, unknown>, [name, ...rest]: string[], value: unknown): void {
  if (rest.length === 0) target[name!] = value;
  else put(target[name!] as Record<string, unknown>, rest, value);
}
