import { segmentsOf } from './stacked-bar';

it('fills the bar in proportion', () => {
  const [base, first] = segmentsOf([75, 25]);
  expect(base!.from).toBe(0);
  expect(base!.width / first!.width).toBeCloseTo(3);
  expect(first!.from + first!.width).toBeCloseTo(100);
});

it('leaves no room for a part without any', () => {
  expect(segmentsOf([0, 10, 0])).toEqual([
    { from: 0, width: 0 },
    { from: 0, width: 100 },
    { from: 100.3, width: 0 },
  ]);
  expect(segmentsOf([0, 0]).map(({ width }) => width)).toEqual([0, 0]);
});

it('shows one among a million', () => {
  const segments = segmentsOf([1_000_000, 1]);
  expect(segments[1]!.width).toBeGreaterThan(0.7);
  expect(segments[1]!.from + segments[1]!.width).toBeCloseTo(100);
});
