import { deflateSync, gzipSync } from 'node:zlib';
import type { PaidEndpoint } from '@evenkeel/contracts';
import fc from 'fast-check';
import { encoded, forgedPayment, refusedPayment } from './forged-payments.fixture';
import { anEndpoint, bytes, JSON_HEADERS, type MalformedRequest } from './malformed-request.fixture';

const MAX_BODY_BYTES = 131_072;

type Change = Partial<MalformedRequest> & Pick<MalformedRequest, 'allowed'>;

const aPaymentName = fc.constantFrom('x-payment', 'payment-signature');

const anAccept = fc.constantFrom('*/*', 'application/problem+json');

/** A request that is right but for one thing, and for its payment, which never verifies. */
function forged(change: (endpoint: PaidEndpoint) => fc.Arbitrary<Change>): fc.Arbitrary<MalformedRequest> {
  return anEndpoint.chain((endpoint) =>
    fc
      .tuple(aPaymentName, forgedPayment(endpoint), change(endpoint), anAccept)
      .map(([name, payment, { headers, ...rest }, accept]) => ({
        method: 'POST',
        path: endpoint.path,
        body: JSON.stringify(endpoint.exampleInput),
        ...rest,
        headers: { ...JSON_HEADERS, [name]: encoded(payment), accept, ...headers },
      })),
  );
}

/** JSON that no endpoint takes; what else a schema refuses is asked by the fuzz against the document. */
const refusedJson = fc.constantFrom(
  '',
  '{',
  'null',
  '[]',
  '{}',
  '{"habits":[{}]}',
  '{"__proto__":{}}',
  '['.repeat(20_000),
);

/** 0xff is in no UTF-8 text. */
const undecodable = bytes(1, 200).map((body) => ({ body: Buffer.concat([body, Buffer.of(0xff)]), allowed: [400] }));

const refusedType = fc
  .oneof(
    fc.constantFrom(
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ),
    fc.constantFrom('application/json; charset=latin1', 'application/json; charset="utf-16"', 'application/json; ='),
    fc.constantFrom('application/jsonp', 'json', '/', ';', ',', 'application/json, text/plain', 'application/json;;x'),
    fc.stringMatching(/^[!-~]{1,40}$/).map((noise) => `${noise}/x`),
  )
  .map((type) => ({ headers: { 'content-type': type }, allowed: [415] }));

const encodedWith = (encoding: string, body: Buffer | string, status: number): Change => ({
  headers: { 'content-encoding': encoding },
  body,
  allowed: [status],
});
const bomb = fc.integer({ min: 2, max: 100 }).map((times) => gzipSync(Buffer.alloc(MAX_BODY_BYTES * times, 0x20)));
const refusedEncoding = (endpoint: PaidEndpoint) => {
  const valid = JSON.stringify(endpoint.exampleInput);
  return fc.oneof(
    bytes(1, 100).map((body) => encodedWith('gzip', body, 400)),
    fc.nat(40).map((length) => encodedWith('gzip', gzipSync(valid).subarray(0, length), 400)),
    refusedJson.map((json) => encodedWith('GZIP', gzipSync(json), 400)),
    fc.constantFrom('br', 'zstd', 'gzip, gzip', 'identity;q=1', 'x').map((name) => encodedWith(name, valid, 415)),
    fc.constant(encodedWith('deflate', deflateSync(valid), 415)),
    bomb.map((body) => encodedWith('gzip', body, 413)),
  );
};

const tooLarge = fc
  .tuple(fc.integer({ min: MAX_BODY_BYTES + 1, max: MAX_BODY_BYTES * 4 }), fc.boolean())
  .map(([length, isChunked]) => ({ body: Buffer.alloc(length, 0x20), isChunked, allowed: [413] }));

/** Without a payment the body does not matter, unless it is too large. */
const unpaid = fc
  .oneof(
    forged(() => refusedJson.map((body) => ({ body, allowed: [400] }))),
    forged(() => undecodable),
    forged(() => refusedType),
    forged(refusedEncoding),
  )
  .map(({ headers, allowed, ...request }) => ({
    ...request,
    headers: { ...headers, 'x-payment': '', 'payment-signature': '' },
    allowed: allowed.includes(413) ? [413] : [402],
  }));

const refusedPayments = anEndpoint.chain((endpoint) =>
  fc
    .tuple(fc.constantFrom('POST', 'POST', 'POST', 'GET', 'HEAD'), aPaymentName, refusedPayment(endpoint))
    .map(([method, name, payment]) => ({
      method,
      path: endpoint.path,
      headers: { ...JSON_HEADERS, [name]: payment },
      body: method === 'POST' ? JSON.stringify(endpoint.exampleInput) : undefined,
      allowed: [402],
    })),
);

const wrongMethod = fc
  .tuple(
    fc.constantFrom('PUT', 'PATCH', 'DELETE', 'PROPFIND', 'MKCOL', 'LOCK', 'SEARCH', 'TRACE', 'LINK', 'PURGE'),
    fc.oneof(
      anEndpoint.map(({ path }) => path),
      fc.constantFrom('/', '/health'),
    ),
  )
  .map(([method, path]) => ({ method, path, headers: JSON_HEADERS, allowed: [405] }));

/** Bytes, with the query. */
const LONGEST_ADDRESS = 8_192;

const wrongPath = fc
  .tuple(
    fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE'),
    fc.oneof(
      anEndpoint.chain(({ path }) =>
        fc.constantFrom(
          `${path}/`,
          `/${path}`,
          `${path}/x`,
          `${path}%00`,
          `${path}%2f`,
          path.toUpperCase(),
          `${path};x=1`,
        ),
      ),
      fc.constantFrom(
        '/agent/v1',
        '/agent/v2/habits/analyze',
        '/agent/v1/../../etc/passwd',
        '/.env',
        '//',
        '/*',
        '/:id',
      ),
      fc.constantFrom(
        '/%',
        '/%zz',
        '/agent/v1/%c0%ae',
        '/agent/v1/%ff',
        '/%e2%82',
        '/health/ready',
        '/control',
        '/ledger',
      ),
      fc.webPath().map((path) => `/x${path}`),
      fc.stringMatching(/^[a-zA-Z0-9._~!$&'()*+,;=:@/%-]{1,60}$/).map((path) => `/agent/v1/x${path}`),
      fc.integer({ min: 200, max: 12_000 }).map((length) => `/agent/v1/${'a'.repeat(length)}`),
    ),
    fc.constantFrom('', '?', '?x=%', '?habits[]=1&__proto__[x]=1'),
  )
  .map(([method, path, query]) => {
    const address = path + query;
    return {
      method,
      path: address,
      headers: JSON_HEADERS,
      allowed: address.length > LONGEST_ADDRESS ? [414] : [400, 404],
    };
  });

/** With how many each kind has in a run. */
export const MALFORMED: readonly [kind: string, requests: fc.Arbitrary<MalformedRequest>, count: number][] = [
  ['bodies that are no text', forged(() => undecodable), 60],
  ['content types', forged(() => refusedType), 80],
  ['content encodings', forged(refusedEncoding), 100],
  ['bodies over the cap', forged(() => tooLarge), 40],
  ['unpaid requests', unpaid, 300],
  ['payments', refusedPayments, 500],
  ['methods', wrongMethod, 80],
  ['paths', wrongPath, 200],
];
