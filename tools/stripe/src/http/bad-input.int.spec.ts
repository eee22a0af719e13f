import fc from 'fast-check';
import { ALL_CALLS } from '../calls/all-calls';
import { wrongError } from '../schema/schema-check';
import { StripeAtNoon } from '../stripe-at-noon.fixture';

const SEED = Number(process.env.STRIPE_SEED ?? Math.floor(Math.random() * 2 ** 31));

let stripe: StripeAtNoon;
let ids: string[];

beforeAll(async () => {
  stripe = await StripeAtNoon.start();
  const { id, customer, latest_invoice: invoice } = await stripe.aSubscription();
  ids = [id, customer as string, invoice as string, 'none', '%', '%E0%A4%A', '..', 'constructor'];
});

afterAll(() => stripe.close());

async function send(method: string, path: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${stripe.running.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${stripe.running.secretKey}`, ...headers },
    ...(body !== '' && { body }),
  });
  return { status: response.status, body: (await response.json()) as object };
}

const NAMES = [
  ...['customer', 'mode', 'limit', 'starting_after', 'created', 'created[gte]', 'expand[]', 'expand[0]', 'metadata[a]'],
  ...['metadata', 'items[0][id]', 'items[0][price]', 'items', 'cancel_at', 'cancel_at_period_end', 'pause_collection'],
  ...['line_items[0][price]', 'success_url', 'subscription', 'subscription_details', 'amount', 'charge', 'types[]'],
  ...['__proto__[a]', 'constructor', '[', 'a[b', 'a[b]c', 'a[][][]', '', 'payment_behavior', 'flow_data[type]'],
];
const VALUES = [
  '',
  '1',
  '-1',
  '99999999999999999999',
  'true',
  'x',
  'subscription',
  'http://x/',
  '\u0000',
  'é',
  '%zz',
  '[]',
];

it(`answers any parameters of any call with a yes or Stripe's error (STRIPE_SEED=${SEED})`, async () => {
  const parameter = fc.tuple(fc.constantFrom(...NAMES), fc.oneof(fc.constantFrom(...VALUES), fc.string()));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(ALL_CALLS)),
      fc.nat(),
      fc.array(parameter, { maxLength: 4 }),
      async (route, which, parameters) => {
        const [method, path] = route.split(' ') as [string, string];
        // What is deleted or ended would answer nothing else any more.
        if (method === 'DELETE') return;
        const form = new URLSearchParams(parameters).toString();
        const to = path.replace(':id', ids[which % ids.length]!);
        const { status, body } =
          method === 'GET' ? await send(method, `${to}?${form}`, '') : await send(method, to, form);
        expect(status).toBeLessThan(500);
        if (status !== 200) expect(wrongError(body)).toBeNull();
      },
    ),
    { seed: SEED, numRuns: sized(200, 2_000) },
  );
});

it('refuses what is too large, and other methods and addresses', async () => {
  expect(await send('POST', '/v1/customers', `email=${'x'.repeat(1_048_576)}`)).toMatchObject({ status: 413 });
  expect(await send('PUT', '/v1/customers', '')).toMatchObject({ status: 404 });
  expect(await send('GET', '/v1/constructor', '')).toMatchObject({ status: 404 });
  expect(await send('GET', '/v1/customers', '', { authorization: 'Basic eA==' })).toMatchObject({ status: 401 });
  expect(await send('GET', '/v1/customers', '', { 'stripe-version': 'next year' })).toMatchObject({ status: 400 });
});
