import { KNOWN_CAPABILITIES, PROVIDED_CAPABILITIES, providerOf } from '../discovery/capability-manifest';
import { SERVICE } from '../service';
import { CREDIT_FACE_MICROS, REBATE_TIERS, rebateMicros, rebateTierAt } from '../payments/rebate';
import { PAID_ENDPOINTS } from './paid-endpoints';

it('the price list is the one of the specification, in its order', () => {
  expect(PAID_ENDPOINTS.map(({ path, priceMicros }) => [path, priceMicros])).toEqual([
    ['/agent/v1/habits/analyze', 50_000],
    ['/agent/v1/habits/plan', 100_000],
    ['/agent/v1/habits/insights', 50_000],
    ['/agent/v1/habits/recommend', 30_000],
    ['/agent/v1/reliability/analyze', 80_000],
  ]);
});

it('the six first names of the vocabulary are provided, each once', () => {
  const provided = PAID_ENDPOINTS.flatMap(({ capabilities }) => capabilities);
  expect([...PROVIDED_CAPABILITIES].sort()).toEqual(provided.toSorted());
  expect(KNOWN_CAPABILITIES.slice(0, 6)).toEqual(PROVIDED_CAPABILITIES);
  expect(new Set(KNOWN_CAPABILITIES).size).toBe(15);
  for (const capability of PROVIDED_CAPABILITIES) expect(providerOf(capability).capabilities).toContain(capability);
});

it('names and descriptions keep to the limits of MCP clients, facilitators and listing sites', () => {
  const names = PAID_ENDPOINTS.map(({ toolName }) => toolName);
  expect(new Set(names).size).toBe(PAID_ENDPOINTS.length);
  for (const name of names) expect(name).toMatch(/^[a-z_]{1,64}$/);
  for (const { description } of PAID_ENDPOINTS) expect(description.length).toBeLessThanOrEqual(500);
  expect(SERVICE.tags.length).toBeLessThanOrEqual(5);
  for (const word of [SERVICE.name, ...SERVICE.tags]) expect(word).toMatch(/^[\x20-\x7e]{1,32}$/);
});

it.each([
  [0, 'base'],
  [9_999_999, 'base'],
  [10_000_000, 'tier_1'],
  [99_999_999, 'tier_1'],
  [100_000_000, 'tier_2'],
  [999_999_999, 'tier_2'],
  [1_000_000_000, 'tier_3'],
])('a wallet that has paid %i micro-USD is at %s', (settled, tier) => expect(rebateTierAt(settled).tier).toBe(tier));

it('the rebate is an exact amount of every price, and a credit pays any call', () => {
  const prices = PAID_ENDPOINTS.map(({ priceMicros }) => priceMicros);
  for (const price of prices) {
    const given = REBATE_TIERS.map((tier) => rebateMicros(price, tier));
    expect(given).toEqual([0, price / 20, price / 10, (price * 3) / 20]);
    expect(given.every(Number.isSafeInteger)).toBe(true);
  }
  expect(CREDIT_FACE_MICROS).toBe(Math.max(...prices));
});
