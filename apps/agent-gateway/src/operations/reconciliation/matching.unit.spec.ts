import { Matching } from './compare-with-chain';

const at = (minute: number) => new Date(minute * 60_000);
const ever = new Date(8.64e15);

let matching: Matching<string, string>;
beforeEach(() => {
  matching = new Matching();
});

it('pairs one with one, in whichever order they come', () => {
  matching.addOurs('a', at(1), 'our a');
  matching.addTheirs('b', at(1), 'their b');
  matching.addTheirs('a', at(2), 'their a');
  matching.addOurs('b', at(2), 'our b');
  expect([matching.matched, matching.takeBefore(ever)]).toEqual([2, { ours: [], theirs: [] }]);
});

it('counts copies: two of one key need two of the other', () => {
  for (const name of ['first', 'second']) matching.addTheirs('a', at(1), name);
  matching.addOurs('a', at(1), 'ours');
  expect([matching.matched, matching.takeBefore(ever)]).toEqual([1, { ours: [], theirs: ['second'] }]);
});

it('gives out what has waited too long, once, and keeps the rest', () => {
  matching.addOurs('a', at(1), 'old');
  matching.addOurs('a', at(5), 'new');
  matching.addTheirs('b', at(2), 'theirs');
  expect(matching.takeBefore(at(5))).toEqual({ ours: ['old'], theirs: ['theirs'] });
  expect(matching.takeBefore(at(5))).toEqual({ ours: [], theirs: [] });
  matching.addTheirs('a', at(6), 'late');
  expect(matching.matched).toBe(1);
});
