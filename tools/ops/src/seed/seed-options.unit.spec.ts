import { seedCommand } from './seed-options';

const read = (...args: string[]) => seedCommand('2026-01-31').parse(args);

describe('options', () => {
  it('have defaults', () =>
    expect(read()).toEqual({
      payments: 100_000,
      days: 365,
      wallets: 2_000,
      subscriptions: 2_000,
      seed: 1,
      until: '2026-01-31',
      replace: false,
    }));

  it('are taken as typed', () =>
    expect(
      read(
        '--payments',
        '5',
        '--days=2',
        '--wallets=3',
        '--subscriptions=6',
        '--seed=4',
        '--until=2025-12-31',
        '--replace',
      ),
    ).toEqual({
      payments: 5,
      days: 2,
      wallets: 3,
      subscriptions: 6,
      seed: 4,
      until: '2025-12-31',
      replace: true,
    }));

  it('may be a call for help', () => expect(read('--help')).toBe('help'));

  it.each([
    [['--payments', '0'], '--payments must be an integer from 1'],
    [['--payments', '1e7'], '--payments must be an integer'],
    [['--days', 'many'], '--days must be an integer from 1 to 3650'],
    [['--wallets', '0'], '--wallets'],
    [['--subscriptions', '-1'], '--subscriptions'],
    [['--until', 'today'], '--until must be a day'],
    [['--until', '2026-13-01'], '--until must be a day'],
    [['--rows', '5'], '--rows'],
  ])('%j are refused', (args, message) => expect(() => read(...args)).toThrow(message));
});
