import type { AccountsTiming } from './accounts.bench';
import { checkAccounts } from './accounts-goals';

const TIMING: AccountsTiming = {
  ...{ startSeconds: 1, logsPerSecond: 1_000, logRatio: 0.6, onePersonLogRatio: 0.6, mePerSecond: 1_000, meRatio: 0.5 },
  ...{ analyzeP99Ms: 20, analyzeRatio: 1.2, listP99Ms: 20, loginsPerSecond: 60, knownOverUnknown: 1 },
  ...{ besideLoginsMeP99Ms: 10, besideLoginsListP99Ms: 20, besideLoginsLogP99Ms: 30, besideLoginsAnalyzeP99Ms: 40 },
  ...{ importSeconds: 2, startedMb: 100, importingMb: 200, afterwardsMb: 110 },
};

const missed = (timing: Partial<AccountsTiming>): string[] =>
  checkAccounts({ ...TIMING, ...timing })
    .filter(({ verdict }) => verdict === 'missed')
    .map(({ goal }) => goal);

it('has no goal missed by good figures', () => expect(missed({})).toEqual([]));

it.each([0.85, 1.15])(
  'tells when logins of a known and an unknown address are told apart, at a ratio of %d',
  (ratio) => {
    expect(missed({ knownOverUnknown: ratio })).toEqual([expect.stringContaining('known / unknown')]);
  },
);

it('has a goal for each route beside logins', () => {
  const slow = { besideLoginsMeP99Ms: 101, besideLoginsListP99Ms: 101, besideLoginsLogP99Ms: 101 };
  expect(missed({ ...slow, besideLoginsAnalyzeP99Ms: 101 })).toHaveLength(4);
});

it('leaves out what cannot be measured', () => {
  const unknown = { startedMb: null, importingMb: null, afterwardsMb: null };
  expect(checkAccounts({ ...TIMING, ...unknown })).toHaveLength(checkAccounts(TIMING).length - 3);
});
