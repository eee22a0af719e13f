import type { LedgerReport } from './operator-commands';
import { chargedAgain, unlike, wrongReport } from './verdicts';

const compared = (source: string, nonces: string[] = []): LedgerReport['comparisons'][number] => ({
  ...{ with: source, matched: 3, oursOnly: [] },
  theirsOnly: nonces.map((nonce) => ({ nonce, remedy: 'look' })),
});
const found = (...nonces: string[]): LedgerReport => ({
  complete: true,
  comparisons: [compared('outbox'), compared('chain', nonces), compared('facilitator', nonces)],
  needPerson: [],
});
const lost = new Set(['0xa1', '0xb2']);

it('is content with a report that names every lost payment, and no other', () => {
  expect(wrongReport(lost, found('0xA1', '0xb2'))).toEqual([]);
  expect(wrongReport(new Set(), found())).toEqual([]);
});

it.each<[string, LedgerReport, RegExp]>([
  ['a payment that is not named', found('0xa1'), /at the facilitator: 0xb2 is missing/],
  ['one that was not lost', found('0xa1', '0xb2', '0xc3'), /on the chain: 0xc3 should not be there/],
  ['a report that looked at no chain', { ...found('0xa1', '0xb2'), comparisons: [] }, /did not compare with: chain/],
  ['one that did not come to its end', { ...found('0xa1', '0xb2'), complete: false }, /not compared to the end/],
  [
    'a payment that only we have',
    { ...found('0xa1', '0xb2'), comparisons: [{ ...compared('outbox'), oursOnly: [{ nonce: '0xd4', remedy: 'x' }] }] },
    /outbox lacks 0xd4/,
  ],
  [
    'one that needs a person',
    { ...found('0xa1', '0xb2'), needPerson: [{ nonce: '0xe5', remedy: 'ask' }] },
    /0xe5 needs a person: ask/,
  ],
])('finds %s', (_what, report, sentence) => {
  expect(wrongReport(lost, report).join('\n')).toMatch(sentence);
});

it('finds what only one of two sets has', () => {
  expect(unlike('logs', ['a', 'b'], ['b', 'a'])).toEqual([]);
  expect(unlike('logs', ['a'], ['b'])).toEqual(['logs: a is missing', 'logs: b should not be there']);
});

it('finds a second charge, and another transaction in place of the first', () => {
  const first = { nonce: '0xa1', transaction: '0x1' };
  expect(chargedAgain([first], [first])).toEqual([]);
  const second = { nonce: '0xa1', transaction: '0x2' };
  expect(chargedAgain([first], [first, second])).toContain('0xa1 was charged twice');
  expect(chargedAgain([first], [second])).toHaveLength(2);
});
