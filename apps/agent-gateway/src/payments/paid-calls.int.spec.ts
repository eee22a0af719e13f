import { gzipSync } from 'node:zlib';
import { scrape } from '@evenkeel/platform/testing';
import { startGateway, type Gateway, type Reply } from '../gateway.fixture';
import { PaidCall } from './pay';
import { RepeatCall } from './repeat-call';
import { analyze } from './payment.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings: { MAX_BODY_BYTES: '20000' } });
});
afterAll(() => gateway.close());

const good = JSON.stringify(analyze.exampleInput);
const bad = JSON.stringify({ habits: [] });
const json = { 'content-type': 'application/json' };
const facts = ({ status, headers, body }: Reply) => [status, body.error, headers.get('content-type')];
const JSON_UTF8 = 'application/json; charset=utf-8';
const challenge = [402, 'payment_required', JSON_UTF8];
const deep = '['.repeat(33) + ']'.repeat(33);
const long = JSON.stringify({ habits: [], filler: 'x'.repeat(20_000) });

const post = (body?: BodyInit, headers: Record<string, string> = json, path = analyze.path) =>
  gateway.send(path, { method: 'POST', body, headers });
const preflightOf = ({ body }: Reply) => (body.extensions as { preflight?: unknown } | undefined)?.preflight;
const remainingIn = ({ headers }: Reply) => Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1]);
/** Without what differs from request to request. */
function shown({ status, headers }: Reply) {
  const { date: _date, ratelimit: _window, 'x-request-id': id, ...rest } = Object.fromEntries(headers);
  return { status, rest, id: id === 'mine-12345' ? id : 'new' };
}
const calls = () => ({ ...gateway.facilitator.ledger().calls });

describe('an unpaid POST', () => {
  const badFormat = { path: '', code: 'bad_format' };
  it.each<[string, BodyInit | undefined, Record<string, string>, object]>([
    ['no body', undefined, {}, { body_present: false }],
    ['an empty body', '', json, { body_present: false }],
    ['a good body', good, json, { body_present: true, valid: true }],
    ['a good body without a type', Buffer.from(good), {}, { body_present: true, valid: true }],
    [
      'a good body, zipped',
      gzipSync(good),
      { ...json, 'content-encoding': 'gzip' },
      { body_present: true, valid: true },
    ],
    ['a bad body', bad, json, { valid: false, issues: [{ path: '/habits', code: 'too_few_items' }] }],
    ['no JSON', '{"habits":', json, { valid: false, issues: [badFormat] }],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), json, { valid: false, issues: [badFormat] }],
    ['another type', good, { 'content-type': 'text/plain' }, { valid: false, issues: [badFormat] }],
    ['another encoding', good, { ...json, 'content-encoding': 'br' }, { valid: false, issues: [badFormat] }],
    ['broken gzip', good, { ...json, 'content-encoding': 'gzip' }, { valid: false, issues: [badFormat] }],
    ['a bottomless body', deep, json, { valid: false, issues: [badFormat] }],
  ])('with %s: 402, and a free verdict', async (_, body, headers, preflight) => {
    const reply = await post(body, headers);
    expect(facts(reply)).toEqual(challenge);
    expect(preflightOf(reply)).toMatchObject(preflight);
  });

  it.each<[string, BodyInit | undefined, Record<string, string>]>([
    ['no body', undefined, {}],
    ['a good body', good, json],
    ['no JSON', 'none', json],
    ['another type', good, { 'content-type': 'text/plain' }],
    ['a type that is none', good, { 'content-type': 'é' }],
    ['a page of another origin', good, { ...json, origin: 'https://shop.example' }],
    ['a request id', good, { ...json, 'x-request-id': 'mine-12345' }],
  ])('with %s: the same answer before the framework and by it, each counted once', async (_, body, headers) => {
    const labels = { route: analyze.path, method: 'POST', status: '4xx' };
    const counted = async () =>
      (await scrape(gateway.running.internalUrl)).value('evenkeel_http_requests_total', labels) ?? 0;
    // A query leads a request to the framework, and changes nothing else.
    const [before, early, later] = [
      await counted(),
      await post(body, headers),
      await post(body, headers, `${analyze.path}?`),
    ];
    expect([later.text, shown(later)]).toEqual([early.text, shown(early)]);
    expect([remainingIn(early) - remainingIn(later), (await counted()) - before]).toEqual([1, 2]);
  });

  it.each([
    ['as it comes', long, json],
    ['inflated', gzipSync(long), { ...json, 'content-encoding': 'gzip' }],
  ])('with a body over the cap %s: 413', async (_, body, headers) => {
    const { status, body: answer } = await post(body, headers);
    expect([status, answer.error]).toEqual([413, 'payload_too_large']);
    expect(answer.details).toEqual({ max_bytes: 20_000, charged: false, retry: 'fix_request' });
  });

  it('with empty payment and credit headers is an unpaid call', async () => {
    const empty = { 'x-payment': '', 'payment-signature': '', 'x-agent-credit': '' };
    expect(facts(await post(good, { ...json, ...empty }))).toEqual(challenge);
  });
});

describe('a POST with a payment', () => {
  const paid = { ...json, 'x-payment': 'bm90IGEgcGF5bWVudA==' };
  it.each<[string, BodyInit, Record<string, string>, number, string]>([
    ['over the cap', long, {}, 413, 'payload_too_large'],
    ['over the cap, zipped', gzipSync(long), { 'content-encoding': 'gzip' }, 413, 'payload_too_large'],
    ['of another type', good, { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['in another charset', good, { 'content-type': 'application/json; charset=latin1' }, 415, 'unsupported_media_type'],
    ['in another encoding', good, { 'content-encoding': 'deflate' }, 415, 'unsupported_media_type'],
    ['empty', '', {}, 400, 'malformed_json'],
    ['no JSON', '{', {}, 400, 'malformed_json'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, 400, 'malformed_json'],
    ['bottomless', deep, {}, 400, 'malformed_json'],
    ['not what the endpoint takes', bad, {}, 400, 'validation_failed'],
    ['with a forbidden name', '{"__proto__": 1}', {}, 400, 'validation_failed'],
    ['with an empty key', good, { 'idempotency-key': '' }, 400, 'validation_failed'],
    ['with a key that is none', good, { 'idempotency-key': 'k'.repeat(256) }, 400, 'validation_failed'],
  ])('and a body %s: the body comes first, before any look at the payment', async (_, body, headers, status, error) => {
    const before = calls();
    const reply = await post(body, { ...paid, ...headers });
    expect(facts(reply)).toEqual([status, error, JSON_UTF8]);
    expect(reply.body.details).toMatchObject({ charged: false, retry: 'fix_request' });
    expect(reply.headers.get('payment-required')).toBeNull();
    expect(calls()).toEqual(before);
  });

  it.each([
    ['that is no payment', paid['x-payment']],
    ['that is no base64', '{"x402Version":1}'],
  ])('%s: 402 with a fresh offer, and no call', async (_, header) => {
    const before = calls();
    const reply = await gateway.pay(header);
    expect(facts(reply)).toEqual([402, 'invalid_payment_payload', JSON_UTF8]);
    expect(reply.body).toMatchObject({ x402Version: 1, details: { charged: false, retry: 'pay_again' } });
    expect(reply.headers.get('payment-required')).not.toBeNull();
    expect(calls()).toEqual(before);
  });

  it('that is refused gets a problem document when it asks for one', async () => {
    const reply = await gateway.pay('bm90aGluZw==', { headers: { accept: 'application/problem+json' } });
    expect(facts(reply)).toEqual([402, 'invalid_payment_payload', 'application/problem+json; charset=utf-8']);
    expect(reply.body).toMatchObject({ status: 402, title: 'Invalid payment payload', accepts: [expect.anything()] });
  });

  it('that fails inside: 500, nothing is written, and the same payment may be repeated', async () => {
    const payment = await gateway.aBuyer().sign();
    const failing = jest.spyOn(PaidCall.prototype, 'result').mockImplementationOnce(() => {
      throw new Error('a defect');
    });
    const { status, body } = await gateway.pay(payment);
    failing.mockRestore();
    expect([status, body.error]).toEqual([500, 'internal_error']);
    expect(body.details).toEqual({ charged: null, retry: 'retry_same' });
    expect(JSON.stringify(body)).not.toContain('a defect');
    expect([await gateway.ledger.entriesOf(payment.nonce), gateway.callsAbout(payment.nonce).settle]).toEqual([
      null,
      0,
    ]);
    expect((await gateway.pay(payment)).status).toBe(200);
  });

  it('that was charged: the answer never says "not charged" when its repeat fails', async () => {
    const payment = await gateway.aBuyer().sign();
    expect((await gateway.pay(payment)).status).toBe(200);
    const failing = jest.spyOn(RepeatCall.prototype, 'ifRepeated').mockRejectedValueOnce(new Error('a defect'));
    const { status, body } = await gateway.pay(payment);
    failing.mockRestore();
    expect([status, body.details]).toEqual([500, { charged: null, retry: 'retry_same' }]);
  });

  it('in PAYMENT-SIGNATURE is taken; X-PAYMENT wins when both are sent', async () => {
    const [one, two] = [await gateway.aBuyer().sign({ version: 2 }), await gateway.aBuyer().sign()];
    const signed = { ...json, 'payment-signature': one.header };
    expect((await post(good, { ...signed, 'x-payment': two.header })).status).toBe(200);
    expect([await gateway.ledger.entriesOf(one.nonce), await gateway.ledger.entriesOf(two.nonce)]).toEqual([
      null,
      expect.objectContaining({ state: 'settled' }),
    ]);
    expect((await post(good, signed)).status).toBe(200);
    expect(await gateway.ledger.entriesOf(one.nonce)).toMatchObject({ state: 'settled' });
  });
});

describe('GET and HEAD', () => {
  it('the offer, and how to pay; no payment is looked at', async () => {
    const { path } = analyze;
    const { header, nonce } = await gateway.aBuyer().sign();
    const headers = { 'x-payment': header, 'payment-signature': header, 'x-agent-credit': 'hrc_x' };
    const probed = await gateway.send(path, { headers });
    expect(facts(probed)).toEqual(challenge);
    expect(probed.body.message).toMatch(/POST.*not charged/);
    expect([probed.headers.get('allow'), preflightOf(probed)]).toEqual(['POST', undefined]);

    const head = await gateway.send(path, { method: 'HEAD', headers });
    expect([head.status, head.text, head.headers.get('allow')]).toEqual([402, '', 'POST']);
    expect(head.headers.get('payment-required')).toBe(probed.headers.get('payment-required'));
    expect(await gateway.ledger.entriesOf(nonce)).toBeNull();
    expect(gateway.callsAbout(nonce).verify).toBe(0);
  });
});

describe('other requests', () => {
  it.each([
    ['PUT', analyze.path, 405, 'method_not_allowed'],
    ['POST', '/agent/v1/habits/unknown', 404, 'not_found'],
  ])('%s %s: %i', async (method, path, status, error) => {
    const reply = await gateway.send(path, { method });
    expect([reply.status, reply.body.error]).toEqual([status, error]);
    expect(reply.body.details).toMatchObject({ charged: false, retry: 'do_not_retry' });
  });
});
