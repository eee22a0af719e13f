import { failureSentence } from './failure-sentence';
import { findingsOf, ok } from './finding';
import { databaseFinding } from './probe-database';

const facts = {
  version: 180_004,
  database: 'shop',
  tls: null,
  standby: false,
  connections: 100,
  statementTimeout: '3s',
};

describe('a database', () => {
  it('must be recent, take writes, and have more connections than the pool', () => {
    const sentenceOf = (change: Partial<typeof facts>): string =>
      databaseFinding({ ...facts, ...change }, 'It', 10).says;
    expect(sentenceOf({})).toBe('PostgreSQL 18, database shop, without TLS.');
    expect(sentenceOf({ version: 149_999 })).toBe(
      'It is PostgreSQL 14: name one of release 15 or later in DATABASE_URL.',
    );
    expect(sentenceOf({ standby: true })).toMatch(/standby.*primary/);
    expect(sentenceOf({ connections: 10 })).toMatch(/allows 10 connections/);
  });
});

const target = { name: 'The till', settings: 'TILL_URL' };

it.each([
  ['CERT_HAS_EXPIRED', /expired/],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /NODE_EXTRA_CA_CERTS/],
  ['EHOSTUNREACH', /network policy/],
  ['ECONNRESET', /closes the connection.*TILL_URL/],
])('a failure with the code %s, however deep, is a sentence', (code, sentence) => {
  const inner = Object.assign(new Error('raw text'), { code });
  for (const error of [inner, new Error('outer', { cause: inner }), new AggregateError([inner])]) {
    expect(failureSentence(error, target)).toMatch(sentence);
    expect(failureSentence(error, target)).not.toContain('raw text');
  }
});

it('any other failure is told as it is, with the settings', () => {
  expect(failureSentence(new Error('out of coins.'), target)).toBe(
    'The till cannot be used (out of coins): check TILL_URL.',
  );
});

it('a probe that does not end is not waited for, and one that throws is a finding', async () => {
  const probe = { subject: 'till', settings: 'TILL_URL' };
  const limits = { stepMs: 1, probeMs: 20 };
  const hanging = await findingsOf({ ...probe, examine: () => new Promise(() => undefined) }, limits);
  expect(hanging).toEqual([{ subject: 'till', outcome: 'wrong', says: expect.stringContaining('TILL_URL') }]);
  const broken = await findingsOf({ ...probe, examine: () => Promise.reject(new Error('no drawer')) }, limits);
  expect(broken[0]!.says).toBe('no drawer: check TILL_URL.');
  expect(await findingsOf({ ...probe, examine: async () => [ok('till', 'open')] }, limits)).toHaveLength(1);
});
