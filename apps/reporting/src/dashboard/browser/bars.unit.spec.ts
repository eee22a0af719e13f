import { stepBars } from './credits.panel';
import { segmentsOf } from './stacked-bar';

describe('the parts of a bar', () => {
  it('fill it in proportion', () => {
    const [base, first] = segmentsOf([75, 25]);
    expect(base!.from).toBe(0);
    expect(base!.width / first!.width).toBeCloseTo(3);
    expect(first!.from + first!.width).toBeCloseTo(100);
  });

  it('have no room without any, and are seen as one among a million', () => {
    expect(segmentsOf([0, 10, 0]).map(({ width }) => width)).toEqual([0, 100, 0]);
    expect(segmentsOf([0, 0]).map(({ width }) => width)).toEqual([0, 0]);
    const [, one] = segmentsOf([1_000_000, 1]);
    expect(one!.width).toBeGreaterThan(0.7);
    expect(one!.from + one!.width).toBeCloseTo(100);
  });
});

describe('the bars of what is owed', () => {
  const steps = (opening: number, issued: number, redeemed: number, expired: number) =>
    stepBars([
      { sign: '=', usd: opening },
      { sign: '+', usd: issued },
      { sign: '\u2212', usd: redeemed },
      { sign: '\u2212', usd: expired },
      { sign: '=', usd: opening + issued - redeemed - expired },
    ]).map(({ from, width }) => [from, width]);

  it.each([
    [steps(10, 30, 20, 4), [0, 25], [25, 75], [50, 50], [40, 10], [0, 40]],
    [steps(0, 0, 0, 0), [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]],
    [steps(-5, 4, 0, 0), [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]],
  ])('begin where the one before ended, and stay within the picture: %j', (bars, ...wanted) =>
    expect(bars).toEqual(wanted),
  );
});
