import { PAID_ENDPOINTS } from '../agent/paid-endpoints';
import { KNOWN_CAPABILITIES, PROVIDED_CAPABILITIES, providerOf } from './capability-manifest';

describe('the vocabulary of capabilities', () => {
  it('has the names that some endpoint provides, no more and no less', () => {
    const provided = PAID_ENDPOINTS.flatMap(({ capabilities }) => capabilities);
    expect([...PROVIDED_CAPABILITIES].sort()).toEqual([...provided].sort());
  });

  it('knows fifteen names, each once, the provided ones among them', () => {
    expect(KNOWN_CAPABILITIES).toHaveLength(15);
    expect(new Set(KNOWN_CAPABILITIES).size).toBe(15);
    expect(KNOWN_CAPABILITIES.slice(0, 6)).toEqual(PROVIDED_CAPABILITIES);
  });

  it.each([
    ['habit_analysis', '/agent/v1/habits/analyze', 50_000],
    ['habit_planning', '/agent/v1/habits/plan', 100_000],
    ['reliability_analysis', '/agent/v1/reliability/analyze', 80_000],
  ] as const)('%s is provided by %s', (capability, path, priceMicros) => {
    expect(providerOf(capability)).toMatchObject({ path, priceMicros });
  });
});
