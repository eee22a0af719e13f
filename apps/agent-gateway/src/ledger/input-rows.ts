import { binaryArray, binaryValue, type TypeName, type ValueOf } from './binary-values';

/** Column, PostgreSQL type, and how to take the value from an item. */
export type InputColumn<Item> = {
  [Type in TypeName]: readonly [name: string, type: Type, value: (item: Item) => ValueOf<Type> | null];
}[TypeName];

/**
 * Items as a relation that a statement can read from. Two texts for one statement, so that both can be prepared:
 * `one` for a single item, which plans cheaper, `many` for any number of them. Values travel in PostgreSQL's own format.
 */
export function inputRows<Item>(columns: readonly InputColumn<Item>[]) {
  const names = columns.map(([name]) => name).join(', ');
  const single = columns.map(([name, type], index) => `$${index + 1}::${type} AS ${name}`).join(', ');
  const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');
  return {
    one: `SELECT ${single}`,
    many: `SELECT ${names} FROM unnest(${arrays}) AS input (${names})`,
    values: (items: readonly Item[]): (Buffer | null)[] =>
      items.length === 1
        ? columns.map(([, type, value]) => binaryValue(type, value(items[0]!)))
        : columns.map(([, type, value]) => binaryArray(type, items.map<unknown>(value))),
  };
}
