import { readsOf } from './reads';

const reads = readsOf({
  now: new Date('2026-03-31T12:00:00.000Z'),
  cursor: 'here',
  payment: { id: 'an-id', nonce: '0x01', transactionHash: '0x02', requestId: 'a-request' },
  wallets: ['0x0a', '0x0b'],
});
const paths = new Set(reads.values());

describe('the reads of the benchmark', () => {
  it.each(['summary', 'endpoints', 'timeseries', 'customers', 'subscriptions'])(
    '%s is asked over days and months, with comparison and without',
    (read) => {
      const months = ['month=2026-03', 'month=2026-02', 'month=2025-10'];
      for (const window of [...[1, 7, 28, 91, 182, 364].map((days) => `days=${days}`), ...months]) {
        expect(paths).toContain(`${read}?${window}`);
        expect(paths).toContain(`${read}?${window}&compare=previous`);
      }
    },
  );

  it.each(['summary', 'endpoints', 'timeseries'])('%s is asked by settlement over each of them', (read) => {
    const bySettlement = [...paths].filter((path) => path.startsWith(read) && path.includes('basis=settlement'));
    expect(bySettlement).toHaveLength(10);
  });

  it.each(['id', 'nonce', 'transactionHash', 'requestId', 'heavyWallet', 'nothing'])(
    'payments are looked for by %s',
    (name) => {
      expect(reads.get(`payments, q: ${name}`)).toMatch(/^payments\?q=.+/);
    },
  );

  it('asks each question once', () => expect(paths.size).toBe(reads.size));

  it.each(['credits?days=1', 'credits?month=2026-02', 'cohorts?months=24', 'payments/an-id', 'payments?wallet=0x0a'])(
    'asks for %s',
    (path) => expect(paths).toContain(path),
  );
});
