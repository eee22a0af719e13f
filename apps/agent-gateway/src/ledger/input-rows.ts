/** Column, PostgreSQL type, and how to take the value from an item. */
export type InputColumn<Item> = readonly [name: string, type: string, value: (item: Item) => unknown];

/**
 * Items as a relation that a statement can read from. Two texts for one statement, so that both can be prepared:
 * `one` for a single item, which plans cheaper, `many` for any number of them. There, values of type `bytea` travel as
 * one binary value with their lengths: in an array they would be hex text, twice as long and parsed twice.
 */
export function inputRows<Item>(columns: readonly InputColumn<Item>[]) {
  const single = columns.map(([name, type], index) => `$${index + 1}::${type} AS ${name}`).join(', ');
  return {
    one: `SELECT ${single}`,
    many: manyFrom(columns),
    values: (items: readonly Item[]): unknown[] =>
      items.length === 1
        ? columns.map(([, , value]) => value(items[0]!))
        : columns.flatMap<unknown>(([, type, value]) => {
            const values = items.map(value);
            return type === 'bytea' ? packed(values as (Buffer | null)[]) : [values];
          }),
  };
}

function manyFrom<Item>(columns: readonly InputColumn<Item>[]): string {
  const selected: string[] = [];
  const arrays: string[] = [];
  const names: string[] = [];
  let parameter = 0;
  const array = (name: string, type: string): void => {
    arrays.push(`$${++parameter}::${type}[]`);
    names.push(name);
  };
  for (const [name, type] of columns) {
    if (type !== 'bytea') {
      array(name, type);
      selected.push(name);
      continue;
    }
    const bytes = `$${++parameter}::bytea`;
    array(`${name}_start`, 'integer');
    array(`${name}_length`, 'integer');
    selected.push(`substr(${bytes}, ${name}_start, ${name}_length) AS ${name}`);
  }
  return `SELECT ${selected.join(', ')} FROM unnest(${arrays.join(', ')}) AS input (${names.join(', ')})`;
}

/** All values in one, and where each begins (from 1) and how long it is. */
function packed(values: readonly (Buffer | null)[]): [bytes: Buffer, starts: number[], lengths: (number | null)[]] {
  let end = 1;
  const starts = values.map((value) => {
    const start = end;
    end += value?.length ?? 0;
    return start;
  });
  return [
    Buffer.concat(values.filter((value) => value !== null)),
    starts,
    values.map((value) => value?.length ?? null),
  ];
}
