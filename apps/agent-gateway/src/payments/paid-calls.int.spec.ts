import { gzipSync } from 'node:zlib';
import { PAID_ENDPOINTS, type PaymentErrorCode } from '@evenkeel/contracts';
import { scrape } from '@evenkeel/platform/testing';
import type { Wanted } from '../buyer.fixture';
import { Facilitator } from '../facilitator/facilitator';
import { aGateway, type Reply } from '../gateway.fixture';
import { PaidCall } from './pay';
import { RepeatCall } from './repeat-call';
import { analyze, headerOf, settlementResponseIn, terms } from './payment.fixture';

const gateway = aGateway({ settings: { MAX_BODY_BYTES: '20000' } });
afterEach(() => jest.restoreAllMocks());

const { path: PLAN } = PAID_ENDPOINTS[1]!;
const good = JSON.stringify(analyze.exampleInput);
const bad = JSON.stringify({ habits: [] });
const json = { 'content-type': 'application/json' };
const facts = ({ status, headers, body }: Reply) => [status, body.error, headers.get('content-type')];
const JSON_UTF8 = 'application/json; charset=utf-8';
const challenge = [402, 'payment_required', JSON_UTF8];
const long = JSON.stringify({ habits: [], filler: 'x'.repeat(20_000) });

const post = (body?: BodyInit, headers: Record<string, string> = json, path = analyze.path) =>
  gateway.send(path, { method: 'POST', body, headers });
const preflightOf = ({ body }: Reply) => (body.extensions as { preflight?: unknown } | undefined)?.preflight;
const calls = () => ({ ...gateway.facilitator.ledger().calls });

describe('an unpaid POST', () => {
  const habit = { name: 'Run', completion_rate: 0.5, current_streak: 1, best_streak: 2 };
  const valid = { body_present: true, valid: true };
  const theOne = (path: string, code: string) => ({ valid: false, issues: [{ path, code }] });
  const badFormat = theOne('', 'bad_format');
  it.each<[string, BodyInit | undefined, Record<string, string>, object, string?]>([
    ['no body', undefined, {}, { body_present: false }],
    ['a good body', good, json, valid],
    ['a good body without a type', Buffer.from(good), {}, valid],
    ['a good body, zipped', gzipSync(good), { ...json, 'content-encoding': 'gzip' }, valid],
    ['empty payment and credit headers', good, { ...json, 'x-payment': '', 'x-agent-credit': '' }, valid],
    ['a bad body', bad, json, theOne('/habits', 'too_few_items')],
    ['no JSON', '{"habits":', json, badFormat],
    ['another type', good, { 'content-type': 'text/plain' }, badFormat],
    ['another encoding', good, { ...json, 'content-encoding': 'br' }, badFormat],
    ['a bottomless body', '['.repeat(33) + ']'.repeat(33), json, badFormat],
    ['neither form of plan', '{}', json, theOne('/habits', 'required'), PLAN],
    ['both forms of plan', JSON.stringify({ habit, habits: [habit] }), json, theOne('/habit', 'conflict'), PLAN],
    ['a long plan', JSON.stringify({ habit, horizon_days: 61 }), json, theOne('/horizon_days', 'out_of_range'), PLAN],
  ])('with %s: 402, and a free verdict', async (_, body, headers, preflight, path = analyze.path) => {
    const reply = await post(body, headers, path);
    expect(facts(reply)).toEqual(challenge);
    expect(preflightOf(reply)).toMatchObject(preflight);
  });

  /** Without what differs from request to request. */
  function shown({ status, headers, text }: Reply) {
    const { date: _date, ratelimit: _window, 'x-request-id': id, ...rest } = Object.fromEntries(headers);
    return { status, text, rest, id: id === 'mine-12345' ? id : 'new' };
  }
  const remainingIn = ({ headers }: Reply) => Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1]);
  const counted = async () => {
    const labels = { route: analyze.path, method: 'POST', status: '4xx' };
    return (await scrape(gateway.running.internalUrl)).value('evenkeel_http_requests_total', labels) ?? 0;
  };

  it.each<[string, BodyInit | undefined, Record<string, string>]>([
    ['no body', undefined, {}],
    ['no JSON', 'none', json],
    ['another origin, and a request id', good, { ...json, origin: 'https://x.example', 'x-request-id': 'mine-12345' }],
  ])('with %s: the same answer before the framework and by it, each counted once', async (_, body, headers) => {
    // A query leads a request to the framework, and changes nothing else.
    const before = await counted();
    const [early, later] = [await post(body, headers), await post(body, headers, `${analyze.path}?`)];
    expect(shown(later)).toEqual(shown(early));
    expect([remainingIn(early) - remainingIn(later), (await counted()) - before]).toEqual([1, 2]);
  });
});

describe('a POST with a payment', () => {
  const paid = { ...json, 'x-payment': 'bm90IGEgcGF5bWVudA==' };
  it.each<[string, BodyInit, Record<string, string>, number, string]>([
    ['over the cap', long, {}, 413, 'payload_too_large'],
    ['over the cap, zipped', gzipSync(long), { 'content-encoding': 'gzip' }, 413, 'payload_too_large'],
    ['in another charset', good, { 'content-type': 'application/json; charset=latin1' }, 415, 'unsupported_media_type'],
    ['no JSON', '{', {}, 400, 'malformed_json'],
    ['not what the endpoint takes', bad, {}, 400, 'validation_failed'],
    ['with a forbidden name', '{"__proto__": 1}', {}, 400, 'validation_failed'],
    ['with a key that is none', good, { 'idempotency-key': 'k'.repeat(256) }, 400, 'validation_failed'],
  ])('and a body %s: the body comes first, before any look at the payment', async (_, body, headers, status, error) => {
    const before = calls();
    const reply = await post(body, { ...paid, ...headers });
    expect(facts(reply)).toEqual([status, error, JSON_UTF8]);
    expect(reply.body.details).toMatchObject({ charged: false, retry: 'fix_request' });
    expect(reply.headers.get('payment-required')).toBeNull();
    if (status === 413) expect((await post(body, { ...json, ...headers })).body.error).toBe(error);
    expect(calls()).toEqual(before);
  });

  it.each([
    ['application/json', JSON_UTF8, { x402Version: 1, details: { charged: false, retry: 'pay_again' } }],
    ['application/problem+json', 'application/problem+json; charset=utf-8', { title: 'Invalid payment payload' }],
  ])('that is no payment: 402 with a fresh offer as %s, and no call', async (accept, type, body) => {
    const before = calls();
    const reply = await gateway.pay(paid['x-payment'], { headers: { accept } });
    expect(facts(reply)).toEqual([402, 'invalid_payment_payload', type]);
    expect(reply.body).toMatchObject({ ...body, accepts: [expect.anything()] });
    expect(reply.headers.get('payment-required')).not.toBeNull();
    expect(calls()).toEqual(before);
  });

  it('that meets a defect: 500, never "not charged"; the same payment may be repeated', async () => {
    const payment = await gateway.aBuyer().sign();
    const meetsIt = async () => {
      const { status, body, text } = await gateway.pay(payment);
      expect([status, body.details]).toEqual([500, { charged: null, retry: 'retry_same' }]);
      expect(text).not.toContain('a defect');
    };
    jest.spyOn(PaidCall.prototype, 'result').mockImplementationOnce(() => {
      throw new Error('a defect');
    });
    await meetsIt();
    expect(await gateway.ledger.entriesOf(payment.nonce)).toBeNull();
    expect(gateway.callsAbout(payment.nonce).settle).toBe(0);
    expect((await gateway.pay(payment)).status).toBe(200);
    jest.spyOn(RepeatCall.prototype, 'ifRepeated').mockRejectedValueOnce(new Error('a defect'));
    await meetsIt();
  });

  it('in PAYMENT-SIGNATURE is taken; X-PAYMENT wins when both are sent', async () => {
    const [one, two] = [await gateway.aBuyer().sign({ version: 2 }), await gateway.aBuyer().sign()];
    const signed = { ...json, 'payment-signature': one.header };
    expect((await post(good, { ...signed, 'x-payment': two.header })).status).toBe(200);
    expect(await gateway.ledger.entriesOf(one.nonce)).toBeNull();
    expect((await post(good, signed)).status).toBe(200);
    expect(await gateway.ledger.entriesOf(one.nonce)).toMatchObject({ state: 'settled' });
  });

  it.each(PAID_ENDPOINTS)('to $path, of version 2 with the longest signature, pays', async (endpoint) => {
    const facilitator = gateway.app.get(Facilitator);
    jest.spyOn(facilitator, 'verify').mockResolvedValue({ kind: 'valid' });
    jest.spyOn(facilitator, 'settle').mockResolvedValue({ kind: 'settled', transactionHash: `0x${'ab'.repeat(32)}` });
    const { headers } = await post(undefined, {}, endpoint.path);
    const offer = JSON.parse(Buffer.from(headers.get('payment-required')!, 'base64').toString()) as {
      resource: object;
      accepts: object[];
      extensions: Record<string, object>;
    };
    const { authorization } = await gateway.aBuyer().sign({ endpoint });
    const identifier = { ...offer.extensions['payment-identifier'], info: { required: false, id: 'i'.repeat(128) } };
    // As clients do: they return our own offer with the payment.
    const payment = headerOf({
      x402Version: 2,
      resource: offer.resource,
      accepted: offer.accepts[0],
      payload: { signature: `0x${'cd'.repeat(4_096)}`, authorization },
      extensions: { ...offer.extensions, 'payment-identifier': identifier },
    });
    expect(payment.length).toBeGreaterThan(14_000);
    const sent = { ...json, 'payment-signature': payment, 'user-agent': 'u'.repeat(100) };
    const answer = await post(JSON.stringify(endpoint.exampleInput), sent, endpoint.path);
    expect([answer.status, answer.body]).toEqual([200, endpoint.exampleResult]);
    expect(settlementResponseIn(answer.headers)).toMatchObject({ success: true, status: 'settled' });
  });
});

const other = '0x00000000000000000000000000000000000000A1';
const inSeconds = (seconds: number) => String(gateway.clock.now().getTime() / 1_000 + seconds);
const tooMuch = { value: '50001' };
const anAmount = (amount: unknown) => ({ offer: { amount } });
const untilIn = (seconds: number) => ({ authorization: { validBefore: inSeconds(seconds) } });
const NETWORK = { expected: 'eip155:8453' };
const RECIPIENT = { expected: terms.payTo };
const TOO_LONG = 'authorization_valid_too_long';
const TOO_EARLY = 'authorization_not_yet_valid';

it.each<[string, () => Wanted, PaymentErrorCode, object?]>([
  ['of another scheme', () => ({ offer: { scheme: 'upto' } }), 'unsupported_scheme'],
  ['of another network', () => ({ offer: { network: 'eip155:1' } }), 'unsupported_network', NETWORK],
  ['of the short network in version 2', () => ({ offer: { network: 'base' } }), 'unsupported_network', NETWORK],
  ['accepted for another', () => ({ offer: { payTo: other } }), 'wrong_recipient', RECIPIENT],
  ['in another token', () => ({ offer: { asset: other } }), 'wrong_asset', { expected: terms.asset }],
  ['of too much', () => ({ authorization: tooMuch }), 'amount_mismatch', { expected: '50000', received: '50001' }],
  ['of too little', () => ({ version: 1, authorization: { value: '49999' } }), 'amount_mismatch'],
  ['that accepted another amount', () => anAmount('1'), 'amount_mismatch', { received: '1' }],
  ['that accepted a long text', () => anAmount('9'.repeat(99)), 'amount_mismatch', { received: '9'.repeat(80) }],
  ['wrong in all', () => ({ authorization: { to: other, ...tooMuch }, offer: { asset: other } }), 'wrong_recipient'],
  ['with 5 s left', () => untilIn(5), 'authorization_expired'],
  ['valid for 901 s', () => untilIn(901), TOO_LONG, { code: TOO_LONG }],
  ['valid in 31 s', () => ({ authorization: { validAfter: inSeconds(31) } }), TOO_EARLY, { code: TOO_EARLY }],
])('a payment %s is 402 with the offer, without a call or a row', async (...[, wanted, error, details]) => {
  const payment = await gateway.aBuyer().sign({ version: 2, ...wanted() });
  const accepts = [expect.objectContaining({ scheme: 'exact' })];
  const refusal = { error, details: { ...details, charged: false, retry: 'pay_again' }, accepts };
  expect((await gateway.pay(payment)).body).toMatchObject(refusal);
  expect(gateway.callsAbout(payment.nonce)).toEqual({ verify: 0, settle: 0, bodies: 0 });
  expect(await gateway.ledger.entriesOf(payment.nonce)).toBeNull();
});

it.each<[string, () => Wanted]>([
  ['of version 1 with the long name of the network', () => ({ version: 1, offer: { network: 'eip155:8453' } })],
  ['to an address in lower case', () => ({ version: 1, authorization: { to: terms.payTo.toLowerCase() } })],
  ['in a token in lower case', () => ({ offer: { asset: terms.asset.toLowerCase() } })],
  ['with 6 s left', () => untilIn(6)],
  ['valid for the longest time that is allowed', () => untilIn(900)],
])('a payment %s pays', async (_, wanted) => {
  const payment = await gateway.aBuyer().sign({ version: 2, ...wanted() });
  expect((await gateway.pay(payment)).status).toBe(200);
  expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled' });
});

it('the facilitator decides about an authorization that becomes valid within 30 s', async () => {
  const payment = await gateway.aBuyer().sign({ authorization: { validAfter: inSeconds(30) } });
  const { body } = await gateway.pay(payment);
  expect(body).toMatchObject({ error: 'payment_rejected', details: { code: TOO_EARLY } });
});

it('GET and HEAD: the offer, and how to pay; no payment is looked at', async () => {
  const { header, nonce } = await gateway.aBuyer().sign();
  const headers = { 'x-payment': header, 'payment-signature': header, 'x-agent-credit': 'hrc_x' };
  const probed = await gateway.send(analyze.path, { headers });
  expect(facts(probed)).toEqual(challenge);
  expect(probed.body.message).toMatch(/POST.*not charged/);
  expect([probed.headers.get('allow'), preflightOf(probed)]).toEqual(['POST', undefined]);
  const head = await gateway.send(analyze.path, { method: 'HEAD', headers });
  expect([head.status, head.text, head.headers.get('allow')]).toEqual([402, '', 'POST']);
  expect(head.headers.get('payment-required')).toBe(probed.headers.get('payment-required'));
  expect(gateway.callsAbout(nonce).verify).toBe(0);
});

it.each([
  ['PUT', analyze.path, 405, 'method_not_allowed'],
  ['POST', '/agent/v1/habits/unknown', 404, 'not_found'],
])('%s %s: %i', async (method, path, status, error) => {
  const reply = await gateway.send(path, { method });
  expect([reply.status, reply.body.error]).toEqual([status, error]);
  expect(reply.body.details).toMatchObject({ charged: false, retry: 'do_not_retry' });
});
