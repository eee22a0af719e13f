/** A class that describes a body: constructed without arguments, its fields decorated. */
export type Class<T extends object = object> = new () => T;

/** The part of JSON Schema (draft 2020-12) that our decorators can say. */
export interface JsonSchema {
  $schema?: string;
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  title?: string;
  description?: string;
  /** What a property that is left out means. No validator fills it in. */
  default?: unknown;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean;
  items?: JsonSchema;
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  /** The description limits it further than the keywords can: a value that fits them may be refused with 400. */
  'x-limited-in-words'?: true;
  /** Our own keyword: characters that are left after trimming. `published` replaces it by a pattern. */
  trimmedLength?: CharacterRange;
}

/** Marks a schema whose description has a rule that JSON Schema has no word for, such as "at most today". */
export const LIMITED_IN_WORDS = { 'x-limited-in-words': true } as const;

export interface CharacterRange {
  minimum: number;
  maximum: number;
}

/** A complete document: every reference in it is `#/$defs/…` and resolves inside it. */
export interface SchemaDocument extends JsonSchema {
  $schema: string;
  $defs: Record<string, JsonSchema>;
}
