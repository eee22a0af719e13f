import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Schema = Record<string, unknown>;

/** The parts of Stripe's OpenAPI description that are in use. */
interface Published {
  apiVersion: string;
  schemas: Record<string, Schema>;
}

export const published = JSON.parse(readFileSync(join(__dirname, 'stripe.json'), 'utf8')) as Published;

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
  const present = Object.entries(properties as Record<string, Schema>).filter(
    ([name, { nullable }]) => nullable === true || (required as string[]).includes(name),
  );
  return Object.fromEntries(present.map(([name, schema]) => [name, blank(schema)]));
}

function blank(schema: Schema): unknown {
  const { nullable, $ref: reference, anyOf, enum: choices, type } = schema;
  if (nullable === true) return null;
  if (typeof reference === 'string') return blankObject(published.schemas[reference.split('/').at(-1)!]!);
  if (Array.isArray(anyOf)) return blank(anyOf[0] as Schema);
  if (Array.isArray(choices)) return choices[0];
  if (type === 'array') return [];
  if (type === 'object') return blankObject(schema);
  return type === 'boolean' ? false : type === 'string' ? '' : 0;
}

/** An id as Stripe forms them: the prefix of the kind of object, and letters and digits that say nothing. */
export function newId(prefix: string, length = 24): string {
  const letters = randomBytes(length)
    .toString('base64')
    .replaceAll(/[^A-Za-z0-9]/g, 'A');
  return `${prefix}_${letters.slice(0, length)}`;
}
