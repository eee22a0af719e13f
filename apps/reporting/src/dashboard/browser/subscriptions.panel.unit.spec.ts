import { hasSubscriptions, planName } from './subscriptions.panel';
import type { Answers } from './sections';

it.each([
  ['premium_monthly', 'Premium monthly'],
  ['premium', 'Premium'],
  [null, 'Other price'],
])('the plan %s is shown as %s', (code, name) => expect(planName(code)).toBe(name));

it.each([
  [[], 0, false],
  [[{ code: 'premium_monthly', subscribers: 0 }], 0, true],
  [[], 1, true],
])('with plans %j and %d paid invoices the section is shown: %s', (plans, paid, isShown) => {
  const answers = { subscriptions: { plans, invoices: { paid } } } as unknown as Partial<Answers>;
  expect(hasSubscriptions({ answers })).toBe(isShown);
});

it('is not shown before the first numbers', () => expect(hasSubscriptions({ answers: {} })).toBe(false));
