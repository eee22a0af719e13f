import Ajv, { type ValidateFunction } from 'ajv';
import { published, type Schema } from './published';

const ajv = new Ajv({ strict: false, validateFormats: false, code: { optimize: false }, inlineRefs: false });
ajv.addSchema({ $id: 'stripe', definitions: converted(published.schemas) });
const compiled = new Map<string, ValidateFunction>();

/** Differences of an answer, or of an event with its envelope, from Stripe's schemas. */
export function wrongIn(value: object): string[] {
  const { data, deleted, error, object: kind = 'error' } = value as Answer;
  const carried = Array.isArray(data) ? data : data?.object ? [data.object] : [];
  const within = carried.flatMap(wrongIn);
  if (kind === 'list') return within;
  const name = error ? 'error' : deleted ? `deleted_${kind}` : kind;
  const validate = compiled.get(name) ?? ajv.compile({ $ref: `stripe#/definitions/${name}` });
  compiled.set(name, validate);
  return validate(value) ? within : [`${name}: ${ajv.errorsText(validate.errors)}`, ...within];
}

interface Answer {
  object?: string;
  deleted?: true;
  error?: object;
  data?: object[] | { object?: object };
}

/** OpenAPI 3.0 as JSON Schema: `nullable`, references; an object has no members that are not described. */
function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...schema } = value as Schema;
  const members = Object.entries(schema).map(([name, member]) => {
    if (name === '$ref') return [name, (member as string).replace('#/components/schemas/', 'stripe#/definitions/')];
    if (name !== 'properties') return [name, converted(member)];
    const properties = Object.entries(member as Record<string, unknown>);
    return [name, Object.fromEntries(properties.map(([property, own]) => [property, converted(own)]))];
  });
  const plain = Object.fromEntries(members) as Schema;
  const isOpen = plain.properties === undefined || plain.additionalProperties !== undefined;
  const closed = isOpen ? plain : { ...plain, additionalProperties: false };
  return nullable === true ? { anyOf: [closed, { type: 'null' }] } : closed;
}
