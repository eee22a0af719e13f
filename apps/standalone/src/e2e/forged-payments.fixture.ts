import { CHAINS, type PaidEndpoint } from '@evenkeel/contracts';
import fc from 'fast-check';
import { PAY_TO } from './gateway-programs.fixture';

const { caip2, shortName, usdc } = CHAINS[0]!;

type Payment = Record<string, unknown>;

function hex(length: number): fc.Arbitrary<string> {
  return fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((array) => `0x${Buffer.from(array).toString('hex')}`);
}

/** As buyers sign it; what is valid longer never reaches the facilitator. */
const inTime = fc.integer({ min: 60, max: 600 }).map((seconds) => String(Math.floor(Date.now() / 1_000) + seconds));

/** Complete and fitting the offer; no key made its signature, so that no change to it can make it pay. */
export function forgedPayment({ priceMicros }: PaidEndpoint): fc.Arbitrary<Payment> {
  const value = String(priceMicros);
  const authorization = fc.record({
    from: hex(20),
    to: fc.constant(PAY_TO),
    value: fc.constant(value),
    validAfter: fc.constant('0'),
    validBefore: fc.oneof(inTime, fc.constantFrom('4102444800', '9'.repeat(77))),
    nonce: hex(32),
  });
  const payload = fc.record({ signature: fc.oneof(hex(65), hex(500)), authorization });
  const accepted = { scheme: 'exact', network: caip2, amount: value, asset: usdc.address, payTo: PAY_TO };
  return fc.oneof(
    payload.map((payload) => ({ x402Version: 1, scheme: 'exact', network: shortName, payload })),
    payload.map((payload) => ({ x402Version: 2, accepted, payload })),
  );
}

export function encoded(payment: unknown): string {
  return Buffer.from(JSON.stringify(payment)).toString('base64');
}

/** Values of a payment header of which none can pay: garbage, damage, other versions, other terms, too much of everything. */
export function refusedPayment(endpoint: PaidEndpoint): fc.Arbitrary<string> {
  const payment = forgedPayment(endpoint);
  const header = payment.map(encoded);
  const flipped = fc.tuple(header, fc.nat(), fc.integer({ min: 0, max: 7 })).map(([text, at, bit]) => {
    const damaged = Buffer.from(text, 'base64');
    damaged[at % damaged.length]! ^= 1 << bit;
    return damaged.toString('base64');
  });
  const truncated = fc
    .tuple(header, fc.integer({ min: 1 }))
    .map(([text, at]) => text.slice(0, 1 + (at % (text.length - 1))));
  return fc.oneof(
    header,
    flipped,
    truncated,
    fc.base64String({ minLength: 4, maxLength: 400 }),
    fc.stringMatching(/^[!-~]{1,300}$/),
    fc.jsonValue({ maxDepth: 4 }).map(encoded),
    fc.tuple(payment, changedMember).map(([one, change]) => encoded(change(one))),
    fc.tuple(payment, hugeMember).map(([one, huge]) => encoded({ ...one, extensions: huge }).slice(0, 15_000)),
  );
}

/** Replaces the value at one of the places that are read. */
const changedMember: fc.Arbitrary<(payment: Payment) => unknown> = fc
  .tuple(
    fc.constantFrom(
      ['x402Version'],
      ['scheme'],
      ['network'],
      ['accepted'],
      ['accepted', 'amount'],
      ['accepted', 'asset'],
      ['accepted', 'payTo'],
      ['accepted', 'network'],
      ['payload'],
      ['payload', 'signature'],
      ['payload', 'authorization'],
      ...['from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'].map((name) => [
        'payload',
        'authorization',
        name,
      ]),
      ['extensions'],
      ['extensions', 'payment-identifier'],
      ['extensions', 'payment-identifier', 'info'],
      ['extensions', 'payment-identifier', 'info', 'id'],
    ),
    fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom(
        '',
        '0x',
        '0x' + 'g'.repeat(64),
        '-1',
        '1e5',
        ' 50000',
        '٣',
        'a\u0000b',
        '\ud800',
        '9'.repeat(90),
      ),
      fc.constantFrom(undefined, 3, -1, 1.5, 2 ** 53, 'x'.repeat(40)),
    ),
  )
  .map(
    ([path, value]) =>
      (payment: Payment) =>
        withMember(payment, path, value),
  );

function withMember(holder: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  const members = { ...(holder as Payment) };
  members[name!] = rest.length === 0 ? value : withMember(members[name!], rest, value);
  return members;
}

const hugeMember = fc.oneof(
  fc.integer({ min: 9_000, max: 14_000 }).map((length) => 'x'.repeat(length)),
  fc.integer({ min: 17, max: 2_000 }).map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown),
);
