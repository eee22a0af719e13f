/** Column, PostgreSQL type, and how to take the value from an item. */
export type InputColumn<Item> = readonly [name: string, type: string, value: (item: Item) => unknown];

/**
 * Items as a relation that a statement can read from. Two texts for one statement, so that both can be prepared:
 * `one` for a single item, which plans cheaper, `many` for any number of them.
 */
export function inputRows<Item>(columns: readonly InputColumn<Item>[]) {
  const names = columns.map(([name]) => name).join(', ');
  const single = columns.map(([name, type], index) => `$${index + 1}::${type} AS ${name}`).join(', ');
  const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');
  return {
    one: `SELECT ${single}`,
    many: `SELECT * FROM unnest(${arrays}) AS input (${names})`,
    values: (items: readonly Item[]): unknown[] =>
      items.length === 1
        ? columns.map(([, , value]) => value(items[0]!))
        : columns.map(([, , value]) => items.map(value)),
  };
}
