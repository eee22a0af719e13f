/** Every list is ordered by these. */
interface Ranked {
  /** Rounded. */
  readonly priority: number;
  readonly name: string;
  readonly index: number;
}

/**
 * The entries in the order of every list: priority descending, name by code unit, JSON of the item, input index.
 * @param itemJson the item as the caller sent it: members in the order of the interface, absent ones and metadata left
 *   out; asked for only on a tie
 * @returns a new array
 */
export function byOrderRule<Entry extends Ranked>(
  entries: readonly Entry[],
  itemJson: (entry: Entry) => string,
): Entry[] {
  return entries.toSorted((a, b) => (isBefore(a, b, itemJson) ? -1 : 1));
}

function isBefore<Entry extends Ranked>(a: Entry, b: Entry, itemJson: (entry: Entry) => string): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority;
  // Never `localeCompare`: its answer depends on the machine.
  if (a.name !== b.name) return a.name < b.name;
  const one = itemJson(a);
  const other = itemJson(b);
  return one === other ? a.index < b.index : one < other;
}
