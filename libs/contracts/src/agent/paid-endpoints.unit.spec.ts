import { KNOWN_CAPABILITIES, PROVIDED_CAPABILITIES, providerOf } from '../discovery/capability-manifest';
import { SERVICE } from '../service';
import { PAID_ENDPOINTS } from './paid-endpoints';

describe('the price list', () => {
  it('is the one of the specification, in its order', () => {
    expect(PAID_ENDPOINTS.map(({ path, priceMicros }) => [path, priceMicros])).toEqual([
      ['/agent/v1/habits/analyze', 50_000],
      ['/agent/v1/habits/plan', 100_000],
      ['/agent/v1/habits/insights', 50_000],
      ['/agent/v1/habits/recommend', 30_000],
      ['/agent/v1/reliability/analyze', 80_000],
    ]);
  });

  it('provides the six first names of the vocabulary, each once', () => {
    const provided = PAID_ENDPOINTS.flatMap(({ capabilities }) => capabilities);
    expect([...PROVIDED_CAPABILITIES].sort()).toEqual(provided.toSorted());
    expect(KNOWN_CAPABILITIES.slice(0, 6)).toEqual(PROVIDED_CAPABILITIES);
    expect(new Set(KNOWN_CAPABILITIES).size).toBe(15);
    for (const capability of PROVIDED_CAPABILITIES) {
      expect(providerOf(capability).capabilities).toContain(capability);
    }
  });

  it('gives every endpoint a tool name that all MCP clients take', () => {
    const names = PAID_ENDPOINTS.map(({ toolName }) => toolName);
    expect(new Set(names).size).toBe(PAID_ENDPOINTS.length);
    for (const name of names) expect(name).toMatch(/^[a-z_]{1,64}$/);
  });

  it('keeps to the limits of facilitators and listing sites', () => {
    for (const { description, headerDescription } of PAID_ENDPOINTS) {
      expect(description.length).toBeLessThanOrEqual(500);
      expect(description.startsWith(headerDescription)).toBe(true);
    }
    expect(SERVICE.name).toMatch(/^[\x20-\x7e]{1,32}$/);
    expect(SERVICE.tags.length).toBeLessThanOrEqual(5);
    for (const tag of SERVICE.tags) expect(tag).toMatch(/^[\x20-\x7e]{1,32}$/);
  });
});
