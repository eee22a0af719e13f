import Ajv, { type ValidateFunction } from 'ajv';
import { published, type Schema } from './published';

/** OpenAPI 3.0 as JSON Schema: `nullable`, references; an object has no members that are not described. */
const definitions = JSON.parse(
  JSON.stringify(published.schemas).replaceAll('#/components/schemas/', 'stripe#/definitions/'),
  (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const { nullable, ...schema } = value as Schema;
    const closed = schema.properties ? { additionalProperties: false, ...schema } : schema;
    return nullable === true ? { anyOf: [closed, { type: 'null' }] } : closed;
  },
) as object;
const ajv = new Ajv({ strict: false, validateFormats: false, code: { optimize: false }, inlineRefs: false });
ajv.addSchema({ $id: 'stripe', definitions });
const compiled = new Map<string, ValidateFunction>();

interface Answer {
  object?: string;
  deleted?: true;
  error?: object;
  data?: object[] | { object?: object };
}

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
