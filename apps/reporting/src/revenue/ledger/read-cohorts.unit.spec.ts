import { monthsUntil } from './read-cohorts';

describe('months', () => {
  it.each([
    ['2026-01-31T23:59:59.999Z', 3, ['2025-11', '2025-12', '2026-01']],
    ['2026-03-31T00:00:00.000Z', 2, ['2026-02', '2026-03']],
    ['2026-12-01T00:00:00.000Z', 1, ['2026-12']],
  ])('until %s', (now, months, expected) => expect(monthsUntil(new Date(now), months)).toEqual(expected));

  it('go over two years', () => expect(monthsUntil(new Date('2026-01-01T00:00:00Z'), 24)[0]).toBe('2024-02'));
});
