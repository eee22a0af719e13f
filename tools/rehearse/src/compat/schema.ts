import { Client } from 'pg';

/** A column of a table or a view. */
export interface Column {
  relation: string;
  name: string;
  type: string;
  isRequired: boolean;
  /** A row that does not name it gets a value: of a default, an identity or an expression. */
  isFilled: boolean;
}

/** By `relation.column`; relations of the schema public have no other name before theirs. */
export type Schema = ReadonlyMap<string, Column>;

const COLUMNS = `
  SELECT CASE n.nspname WHEN 'public' THEN c.relname ELSE n.nspname || '.' || c.relname END AS relation, a.attname AS name,
    format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS "isRequired",
    a.atthasdef OR a.attidentity <> '' AS "isFilled"
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped
    AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
  ORDER BY relation, name`;

/** The schema of a database. */
export async function schemaOf(databaseUrl: string): Promise<Schema> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Column>(COLUMNS);
    return new Map(rows.map((column) => [`${column.relation}.${column.name}`, column]));
  } finally {
    await client.end();
  }
}

/**
 * The parts of a change that would break code of the schema before it, a sentence each. It sees columns alone: what a
 * constraint or a trigger refuses, only the suites of that code can tell.
 * @param isUsed whether that code names a table or column
 */
export async function breakingChanges(
  before: Schema,
  after: Schema,
  isUsed: (name: string) => Promise<boolean>,
): Promise<string[]> {
  const [relationsBefore, relationsAfter] = [relationsOf(before), relationsOf(after)];
  const gone = [...relationsBefore].filter((relation) => !relationsAfter.has(relation));
  const sentences: string[] = [];
  for (const relation of gone) {
    if (await isUsed(relation.split('.').at(-1)!)) sentences.push(`${relation} is gone, or has another name.`);
  }
  for (const [place, column] of before) {
    if (gone.includes(column.relation)) continue;
    const change = changeOf(column, after.get(place));
    if (change !== undefined && (await isUsed(column.name))) sentences.push(`${place} ${change}`);
  }
  const added = [...after].filter(([place, { relation }]) => !before.has(place) && relationsBefore.has(relation));
  const demanded = added.filter(([, { isRequired, isFilled }]) => isRequired && !isFilled);
  return [...sentences, ...demanded.map(([place]) => `${place} is new, may not be null and has no default.`)];
}

/** Where two databases differ that should be the same, a sentence each. */
export function differencesBetween(one: Schema, other: Schema): string[] {
  const places = [...new Set([...one.keys(), ...other.keys()])];
  const described = (schema: Schema, place: string) => JSON.stringify(schema.get(place)) ?? 'nothing';
  const differing = places.filter((place) => described(one, place) !== described(other, place));
  return differing.map((place) => `${place}: ${described(one, place)} here, ${described(other, place)} there.`);
}

function changeOf(before: Column, after: Column | undefined): string | undefined {
  if (after === undefined) return 'is gone, or has another name.';
  if (after.type !== before.type) return `is ${after.type}, and was ${before.type}.`;
  if (after.isRequired && !before.isRequired) return 'may not be null any more.';
  if (after.isRequired && before.isFilled && !after.isFilled) return 'has lost its default, and may not be null.';
  return undefined;
}

const relationsOf = (schema: Schema): Set<string> => new Set([...schema.values()].map(({ relation }) => relation));
