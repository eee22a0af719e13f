import { failureSentence } from './failure-sentence';
import { databaseFinding } from './probe-database';

it('a database must be recent, and take writes', () => {
  const facts = { version: 149_999, database: 'shop', tls: null, standby: false, connections: 100 };
  const says = 'It is PostgreSQL 14: name one of release 15 or later in DATABASE_URL.';
  expect(databaseFinding({ ...facts, statementTimeout: '3s' }, 'It', 10).says).toBe(says);
  const standby = { ...facts, version: 180_004, standby: true, statementTimeout: '3s' };
  expect(databaseFinding(standby, 'It', 10).says).toMatch(/standby.*primary/);
});

it.each([
  ['CERT_HAS_EXPIRED', /expired/],
  ['EHOSTUNREACH', /network policy/],
  ['ECONNRESET', /closes the connection.*TILL_URL/],
  [undefined, /^The till cannot be used \(raw text\): check TILL_URL\.$/],
])('a failure with the code %s, however deep, is a sentence', (code, sentence) => {
  const inner = Object.assign(new Error('raw text'), { code });
  for (const error of [inner, new Error('outer', { cause: inner }), new AggregateError([inner])]) {
    expect(failureSentence(error, { name: 'The till', settings: 'TILL_URL' })).toMatch(sentence);
  }
});
