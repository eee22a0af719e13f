import { checkGoals, GOALS } from './goals';

const LOGINS = 'accounts, logins a second';
const IMPORT = 'accounts, import of 45,000 logs: s';

it.each([
  [LOGINS, 15, 'met'],
  [LOGINS, 14, 'within a tenth'],
  [LOGINS, 13, 'missed'],
  [IMPORT, 10, 'met'],
  [IMPORT, 10.9, 'within a tenth'],
  [IMPORT, 11.1, 'missed'],
  ['settle takes 2 s, 400 calls in flight: answers 429', 1, 'missed'],
])('%s at %d is %s', (goal, measured, verdict) => {
  expect(checkGoals({ [goal]: measured })).toEqual([{ ...GOALS[goal], goal, measured, verdict }]);
});

it('says nothing of a figure that is not there, or that this machine cannot measure', () => {
  expect(checkGoals({ [LOGINS]: NaN, 'a figure of no goal': 1 })).toEqual([]);
});
