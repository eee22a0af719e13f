import { stepBars } from './credits.panel';

const steps = (opening: number, issued: number, redeemed: number, expired: number) =>
  stepBars([
    { sign: '=', usd: opening },
    { sign: '+', usd: issued },
    { sign: '\u2212', usd: redeemed },
    { sign: '\u2212', usd: expired },
    { sign: '=', usd: opening + issued - redeemed - expired },
  ]);

it('leads from the opening to the closing, each bar beginning where the one before ended', () => {
  expect(steps(10, 30, 20, 4)).toEqual([
    { from: 0, width: 25 },
    { from: 25, width: 75 },
    { from: 50, width: 50 },
    { from: 40, width: 10 },
    { from: 0, width: 40 },
  ]);
});

it('stays within the picture without anything, and with less than nothing', () => {
  expect(steps(0, 0, 0, 0).every(({ from, width }) => from === 0 && width === 0)).toBe(true);
  for (const { from, width } of steps(-5, 3, 1, 0)) {
    expect(from).toBeGreaterThanOrEqual(0);
    expect(width).toBeGreaterThanOrEqual(0);
    expect(from + width).toBeLessThanOrEqual(100);
  }
});
