import { failureSentence } from './failure-sentence';

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
