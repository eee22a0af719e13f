/** What every list is ordered by. */
export interface Ranked {
  /** Rounded. */
  readonly priority: number;
  readonly name: string;
  readonly index: number;
}

/**
 * The order of every list: priority descending, name by code unit, JSON of the item, input index.
 * @param itemJson the item as the caller sent it: members in the order of the interface, absent ones and metadata left
 *   out; asked for only on a tie
 * @returns a comparator for `sort`
 */
export function orderRule<Entry extends Ranked>(itemJson: (entry: Entry) => string): (a: Entry, b: Entry) => number {
  return (a, b) =>
    b.priority - a.priority || byCodeUnit(a.name, b.name) || byCodeUnit(itemJson(a), itemJson(b)) || a.index - b.index;
}

/** Never `localeCompare`: its answer depends on the machine. */
function byCodeUnit(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
