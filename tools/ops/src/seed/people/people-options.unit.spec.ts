import { peopleCommand } from './people-options';

const read = (...args: string[]) => peopleCommand('2026-01-31').parse(args);

describe('options', () => {
  it('have defaults', () =>
    expect(read()).toEqual({
      ...{ people: 10, habits: 25, days: 365, password: 'seven quiet otters', seed: 1, until: '2026-01-31' },
    }));

  it('are taken as typed', () =>
    expect(
      read('--people=2', '--habits', '3', '--days=0', '--password=long enough', '--seed=4', '--until=2025-12-31'),
    ).toEqual({ people: 2, habits: 3, days: 0, password: 'long enough', seed: 4, until: '2025-12-31' }));

  it.each([
    [['--people', '0'], '--people must be an integer from 1'],
    [['--habits', '501'], '--habits must be an integer from 1 to 500'],
    [['--password', 'short'], '--password must have 8 to 128 characters'],
    [['--until', 'today'], '--until must be a day'],
  ])('%j are refused', (args, message) => expect(() => read(...args)).toThrow(message));
});
