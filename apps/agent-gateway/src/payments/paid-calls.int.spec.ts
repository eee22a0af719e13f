import { gzipSync } from 'node:zlib';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
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
const calls = () => ({ ...gateway.facilitator.ledger().calls });

describe('an unpaid POST', () => {
  const valid = { body_present: true, valid: true };
  const badFormat = { valid: false, issues: [{ path: '', code: 'bad_format' }] };
  it.each<[string, BodyInit | undefined, Record<string, string>, object]>([
    ['no body', undefined, {}, { body_present: false }],
    ['a good body', good, json, valid],
    ['a good body without a type', Buffer.from(good), {}, valid],
    ['a good body, zipped', gzipSync(good), { ...json, 'content-encoding': 'gzip' }, valid],
    ['empty payment and credit headers', good, { ...json, 'x-payment': '', 'x-agent-credit': '' }, valid],
    ['a bad body', bad, json, { valid: false, issues: [{ path: '/habits', code: 'too_few_items' }] }],
    ['no JSON', '{"habits":', json, badFormat],
    ['another type', good, { 'content-type': 'text/plain' }, badFormat],
    ['another encoding', good, { ...json, 'content-encoding': 'br' }, badFormat],
    ['a bottomless body', deep, json, badFormat],
  ])('with %s: 402, and a free verdict', async (_, body, headers, preflight) => {
    const reply = await post(body, headers);
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
    ['a good body', good, json],
    ['no JSON', 'none', json],
    ['a page of another origin', good, { ...json, origin: 'https://shop.example' }],
    ['a request id', good, { ...json, 'x-request-id': 'mine-12345' }],
  ])('with %s: the same answer before the framework and by it, each counted once', async (_, body, headers) => {
    // A query leads a request to the framework, and changes nothing else.
    const before = await counted();
    const [early, later] = [await post(body, headers), await post(body, headers, `${analyze.path}?`)];
    expect(shown(later)).toEqual(shown(early));
    expect([remainingIn(early) - remainingIn(later), (await counted()) - before]).toEqual([1, 2]);
  });

  it('to plan, which takes one of two forms: the verdict names what is missing or too much', async () => {
    const habit = { name: 'Run', completion_rate: 0.5, current_streak: 1, best_streak: 2 };
    const { path } = PAID_ENDPOINTS[1]!;
    for (const [body, issue] of [
      [{}, { path: '/habits', code: 'required', message: 'is required, or habit' }],
      [
        { habit, habits: [habit] },
        { path: '/habit', code: 'conflict' },
      ],
      [{ habit: [] }, { path: '/habit', code: 'wrong_type' }],
      [
        { habit, horizon_days: 61 },
        { path: '/horizon_days', message: 'must be between 7 and 60' },
      ],
      [
        { habits: [habit], horizon_days: 181 },
        { path: '/horizon_days', message: 'must be between 7 and 180' },
      ],
      [
        { habit, persona: 'x' },
        { path: '/persona', code: 'unknown_property' },
      ],
    ]) {
      expect(preflightOf(await post(JSON.stringify(body), json, path))).toMatchObject({
        valid: false,
        issues: [issue],
      });
    }
  });
});

describe('a POST with a payment', () => {
  const paid = { ...json, 'x-payment': 'bm90IGEgcGF5bWVudA==' };
  it.each<[string, BodyInit, Record<string, string>, number, string]>([
    ['over the cap', long, {}, 413, 'payload_too_large'],
    ['over the cap, zipped', gzipSync(long), { 'content-encoding': 'gzip' }, 413, 'payload_too_large'],
    ['of another type', good, { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['in another charset', good, { 'content-type': 'application/json; charset=latin1' }, 415, 'unsupported_media_type'],
    ['no JSON', '{', {}, 400, 'malformed_json'],
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
    const defect = new Error('a defect');
    const meetsIt = async (failing: jest.SpyInstance) => {
      const { status, body, text } = await gateway.pay(payment);
      failing.mockRestore();
      expect([status, body.details]).toEqual([500, { charged: null, retry: 'retry_same' }]);
      expect(text).not.toContain('a defect');
    };
    await meetsIt(
      jest.spyOn(PaidCall.prototype, 'result').mockImplementationOnce(() => {
        throw defect;
      }),
    );
    expect(await gateway.ledger.entriesOf(payment.nonce)).toBeNull();
    expect(gateway.callsAbout(payment.nonce).settle).toBe(0);
    expect((await gateway.pay(payment)).status).toBe(200);
    await meetsIt(jest.spyOn(RepeatCall.prototype, 'ifRepeated').mockRejectedValueOnce(defect));
  });

  it('in PAYMENT-SIGNATURE is taken; X-PAYMENT wins when both are sent', async () => {
    const [one, two] = [await gateway.aBuyer().sign({ version: 2 }), await gateway.aBuyer().sign()];
    const signed = { ...json, 'payment-signature': one.header };
    expect((await post(good, { ...signed, 'x-payment': two.header })).status).toBe(200);
    expect(await gateway.ledger.entriesOf(one.nonce)).toBeNull();
    expect((await post(good, signed)).status).toBe(200);
    expect(await gateway.ledger.entriesOf(one.nonce)).toMatchObject({ state: 'settled' });
  });
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
