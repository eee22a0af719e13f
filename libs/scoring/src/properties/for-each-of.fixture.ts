import fc from 'fast-check';

/** Every property is tried on at least this many items. */
const ITEMS = sized(600, 20_000);

/** @param itemsPerRun items that one generated value holds and the check looks at one by one */
export function forEachOf<Value>(
  arbitrary: fc.Arbitrary<Value>,
  check: (value: Value) => boolean,
  itemsPerRun = 1,
): void {
  fc.assert(fc.property(arbitrary, check), { numRuns: Math.ceil(ITEMS / itemsPerRun) });
}
