import fc from 'fast-check';
import { anEvent, invoiceObject, sessionObject, subscriptionObject, type Values } from './provider-events.fixture';
import { HANDLED_TYPES } from './read-event';

export const NOW = new Date('2026-01-31T12:00:00Z');

const ODD: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 0, 1.5, 2 ** 53, 1e300, -1e300, '', ' ', 'a\0b', '\ud800', [], {}, [null]),
  fc.constantFrom<unknown>('x'.repeat(600), 'eur', 'canceled', '__proto__', 253_402_300_800, { data: [null] }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** The value with one member, somewhere in it, replaced or taken away. */
function spoiled(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return ODD;
  const names = Object.keys(value);
  return fc.tuple(fc.constantFrom(...names), fc.integer({ min: 0, max: 9 })).chain(([name, way]) => {
    const inner = (value as Record<string, unknown>)[name];
    const put = (changed: unknown): unknown =>
      Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed };
    if (way === 0) return fc.constant(put(undefined));
    return way < 4 ? ODD.map(put) : spoiled(inner).map(put);
  });
}

const NO_OBJECT = fc.oneof(
  fc.constantFrom('', '{', 'null', '[]', '"text"', '\ufeff{}', '{"a":1,}', '[{}]', '7'),
  fc.integer({ min: 10, max: 200_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.string({ maxLength: 100 }).filter((text) => !text.startsWith('{')),
);

/** Bodies of one kind, each with what is said of it. */
export interface BadBodies {
  weight: number;
  status: number;
  /** Of a 200: the reasons that may be given, null for an event that is applied. Else the code. */
  says: readonly unknown[];
  bodies: fc.Arbitrary<string>;
}

/** Bodies that would give somebody access, or record money. */
function paying(index: number, userId?: string): [type: string, object: Values] {
  const shape = index % 2 === 0 ? 'new' : 'old';
  const of = { customer: userId === undefined ? `cus_nobody${index}` : 'cus_victim', userId };
  const subscription = `sub_${userId === undefined ? 'nobody' : 'paying'}${index}`;
  const kinds: [string, Values][] = [
    ['customer.subscription.created', subscriptionObject({ ...of, id: subscription }, shape)],
    ['customer.subscription.updated', subscriptionObject({ ...of, id: subscription, status: 'trialing' }, shape)],
    ['invoice.paid', invoiceObject({ ...of, id: `in_paying${index}`, subscription }, shape)],
    [
      'checkout.session.completed',
      sessionObject({ ...of, userId: userId ?? '', id: `cs_paying${index}`, subscription }),
    ],
  ];
  return kinds[index % kinds.length]!;
}

/** Bodies that give no access, whatever one of their members is. */
function harmless(index: number, userId: string): [type: string, object: Values] {
  const shape = index % 2 === 0 ? 'new' : 'old';
  const of = { customer: 'cus_victim', userId };
  const subscription = `sub_victim${index % 40}`;
  const ended = (status: string) => subscriptionObject({ ...of, id: subscription, status }, shape);
  const invoice = invoiceObject({ ...of, id: `in_${index}`, subscription }, shape);
  const session = sessionObject({ ...of, id: `cs_${index}`, subscription, payment_status: 'unpaid' });
  const money = { customer: of.customer, charge: `ch_${index % 40}`, amount: 100, currency: 'usd', created: 1 };
  const objects: [RegExp, Values][] = [
    [/^checkout.session.(completed|expired|async_payment_failed)$/, session],
    [/^customer.subscription.deleted$/, ended('active')],
    [/^customer.subscription/, ended(['incomplete', 'incomplete_expired', 'unpaid', 'paused', 'canceled'][index % 5]!)],
    [/^customer.deleted$/, { id: of.customer, metadata: { user_id: userId } }],
    [/^invoice.payment_(failed|action_required)$/, invoice],
    [/^charge.refunded$/, { id: `ch_${index % 40}`, customer: of.customer, invoice: `in_${index}` }],
    [/^refund/, { ...money, id: `re_${index}`, status: index % 3 === 0 ? 'failed' : 'succeeded' }],
    [/^charge.dispute/, { ...money, id: `dp_${index}`, status: index % 3 === 0 ? 'won' : 'needs_response' }],
  ];
  const types = HANDLED_TYPES.filter((type) => objects.some(([matching]) => matching.test(type)));
  const type = types[index % types.length]!;
  return [type, objects.find(([matching]) => matching.test(type))![1]];
}

const at = ([type, object]: [string, Values]) => [type, NOW, object] as const;

/** @param victim is named by all that name somebody */
export function badBodies(victim: string): Record<string, BadBodies> {
  const indexes = fc.nat(999);
  const eventful = (of: (index: number) => object) => indexes.map((index) => JSON.stringify(of(index)));
  const spoiledEvents = (
    over: (index: number) => Values,
    made: (index: number, userId: string) => [type: string, object: Values] = paying,
  ) =>
    indexes.chain((index) => {
      const [type, object] = made(index, victim);
      return spoiled(object).map((inner) => JSON.stringify(anEvent(type, NOW, inner as Values, over(index))));
    });
  const inEuro = (index: number) => {
    const owner = { customer: 'cus_victim', userId: victim, subscription: `sub_eur${index}` };
    const over = { currency: index % 2 === 0 ? 'eur' : 'JPY' };
    const invoice = invoiceObject({ ...owner, id: `in_eur${index}`, periodEnd: '2026-01-20T00:00:00Z', over });
    const refund = { id: `re_eur${index}`, charge: 'ch_eur', customer: 'cus_victim', amount: 100, ...over };
    return index % 3 === 0 ? anEvent('refund.created', NOW, refund) : anEvent('invoice.paid', NOW, invoice);
  };
  const types = ['unknown.type', 'customer.created', 'INVOICE.PAID', '__proto__', 'constructor', '', null, 7, {}];
  const noTime = [-1, -1_000_000_000, 253_402_300_800, 2 ** 53, 1.5, null, '1769860800', [], undefined];
  const timeless = (index: number) => ({ created: noTime[index % noTime.length] });
  const any = [null, 'ignored_event_type', 'stale_event', 'unmatched_customer', 'duplicate_event'];
  const tooLong = fc.constant(JSON.stringify(anEvent('invoice.paid', NOW, { filler: 'x'.repeat(1_048_576) })));
  const kind = (weight: number, status: number, says: readonly unknown[], bodies: fc.Arbitrary<string>): BadBodies => {
    return { weight, status, says, bodies };
  };
  const taken = (says: readonly unknown[], bodies: fc.Arbitrary<string>) => kind(2, 200, says, bodies);
  const IGNORED = ['ignored_event_type'];
  const ofOtherTypes = spoiledEvents((index) => ({ type: types[index % types.length] }));
  const ofNoTime = eventful((index) => anEvent(...at(paying(index, victim)), timeless(index)));
  const ofNobody = eventful((index) => anEvent(...at(paying(index))));
  const oddMembers = spoiledEvents(() => ({}), harmless);
  const oddEnvelopes = indexes
    .chain((index) => spoiled(anEvent(...at(harmless(index, victim)))))
    .map((event) => JSON.stringify(event));
  const connected = spoiledEvents(() => ({ account: 'acct_1' }));
  const live = spoiledEvents(() => ({ livemode: true }));
  return {
    'no JSON object': kind(2, 400, ['malformed_json'], NO_OBJECT),
    'too long': kind(1, 413, ['payload_too_large'], tooLong),
    'of no type that is known': taken(IGNORED, ofOtherTypes),
    'of no time': taken(IGNORED, ofNoTime),
    'of a connected account': taken(IGNORED, connected),
    'of the other mode': taken(['test_mode_mismatch'], live),
    'of nobody': taken(['unmatched_customer'], ofNobody),
    'in another currency': taken([null, 'stale_event'], eventful(inEuro)),
    'with a member that is odd or missing': kind(8, 200, any, oddMembers),
    'with an envelope that is odd': taken([...any, 'test_mode_mismatch'], oddEnvelopes),
  };
}
