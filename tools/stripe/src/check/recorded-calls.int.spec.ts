import { ALL_CALLS } from '../calls/all-calls';
import { readForm } from '../http/form';
import { published, wrongAnswer, wrongCall, wrongParameters } from '../schema/schema-check';
import { recordCalls } from './recorded-calls';

it('every call that is known is made, and fits the schemas in the repository', async () => {
  const calls = await recordCalls();
  expect(new Set(calls.map(({ route }) => route))).toEqual(new Set(Object.keys(ALL_CALLS)));
  const wrong = calls.flatMap((call) => [wrongCall(call), wrongAnswer(call.route!, call.body)]);
  expect(wrong.filter((one) => one !== null)).toEqual([]);
});

it('the schemas in the repository are those of all known calls', () => {
  expect(Object.keys(published.operations)).toEqual(Object.keys(ALL_CALLS).toSorted());
});

it('the checks find what is wrong', () => {
  const route = 'POST /v1/checkout/sessions';
  expect(wrongParameters(route, {}, readForm('mode=subscription&succes_url=x'))).toContain('succes_url');
  expect(wrongParameters(route, {}, readForm('mode=rent'))).toContain('mode');
  expect(wrongAnswer('GET /v1/prices/:id', { object: 'price', id: 'price_1' })).toContain('required');
});
