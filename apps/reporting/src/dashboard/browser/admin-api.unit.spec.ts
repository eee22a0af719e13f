import { refusalOf, refusalText } from './refusals';

const anAnswer = (status: number, headers: Record<string, string> = {}) => ({ status, headers: new Headers(headers) });

it.each([
  [401, {}, { kind: 'wrong_token' }],
  [501, {}, { kind: 'not_configured' }],
  [429, { 'retry-after': '20' }, { kind: 'limited', retryAfterSeconds: 20 }],
  [429, { 'retry-after': 'soon' }, { kind: 'limited', retryAfterSeconds: 0 }],
  [503, { 'retry-after': '1' }, { kind: 'unavailable', status: 503, retryAfterSeconds: 1 }],
  [400, {}, { kind: 'unavailable', status: 400, retryAfterSeconds: 0 }],
])('%i with %j', (status, headers, refusal) => expect(refusalOf(anAnswer(status, headers))).toEqual(refusal));

it('is said as a sentence', () => {
  expect(refusalText(refusalOf(anAnswer(429)))).toBe('too many requests from this address');
  expect(refusalText(refusalOf(anAnswer(503)))).toBe('the service answered 503');
  expect(refusalText({ kind: 'unreachable' })).toBe('the network does not answer');
});
