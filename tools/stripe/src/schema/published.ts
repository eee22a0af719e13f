import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Schema {
  properties?: Record<string, Schema>;
  required?: readonly string[];
  nullable?: boolean;
  $ref?: string;
  anyOf?: readonly Schema[];
  enum?: readonly unknown[];
  type?: string;
}

/** The parts of Stripe's OpenAPI description that are in use. */
export const published = JSON.parse(readFileSync(join(__dirname, 'stripe.json'), 'utf8')) as {
  apiVersion: string;
  schemas: Record<string, Schema>;
};

/** The version of the API that the description is of, and that the client of this workspace pins. */
export const API_VERSION = published.apiVersion;

/**
 * An object as Stripe describes it: a member that is not stated is null where it may be, else nothing of its kind (false, 0,
 * an empty list), and one that Stripe may leave out is left out.
 * @param kind name of its schema
 */
export function anObject<Kind extends object>(kind: string, stated: Partial<NoInfer<Kind>>): Kind {
  return { ...(blankObject(published.schemas[kind]!) as Kind), ...stated };
}

function blankObject({ properties = {}, required = [] }: Schema): object {
  const present = Object.entries(properties).filter(([name, { nullable }]) => nullable || required.includes(name));
  return Object.fromEntries(present.map(([name, schema]) => [name, blank(schema)]));
}

function blank(schema: Schema): unknown {
  const { nullable, $ref: reference, anyOf, enum: choices, type } = schema;
  if (nullable) return null;
  if (reference) return blankObject(published.schemas[reference.split('/').at(-1)!]!);
  if (anyOf) return blank(anyOf[0]!);
  if (choices) return choices[0];
  if (type === 'object') return blankObject(schema);
  return { array: [], boolean: false, string: '' }[type!] ?? 0;
}

/** The prefix of the kind of object, and letters that say nothing. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}
