import type { JsonSchema, SchemaDocument } from '@evenkeel/contracts';
import { nestedSchema } from './body-schema';

/** Where a body holds its habits or tasks, and what one of them may have. */
export interface ItemPlace {
  property: string;
  known: ReadonlySet<string>;
  /** Texts that count, and go on, without the white space around them. */
  trimmed: readonly string[];
}

/** The objects that a body holds, over all its forms. */
export function itemPlaces(forms: readonly JsonSchema[], document: SchemaDocument): ItemPlace[] {
  return forms.flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([property, schema]) => {
      const item = nestedSchema(schema.items ?? schema, document)?.properties;
      return item ? [{ property, known: new Set(Object.keys(item)), trimmed: trimmedNames(item) }] : [];
    }),
  );
}

/** Properties that carry our keyword `trimmedLength`. */
export function trimmedNames(properties: Readonly<Record<string, JsonSchema>>): string[] {
  return Object.keys(properties).filter((name) => properties[name]!.trimmedLength);
}
