import Ajv, { type ValidateFunction } from 'ajv';
import type { StripeEvent } from '../events/event-log';
import type { AnsweredCall } from '../http/api';
import { published, type Schema } from './published';

const ajv = new Ajv({ strict: false, validateFormats: false, code: { optimize: false }, inlineRefs: false });
ajv.addSchema({ $id: 'stripe', definitions: converted(published.schemas) });
const compiled = new Map<string, ValidateFunction>();

/** The envelope of an event and what it carries; null when nothing is wrong. */
export function wrongEvent(event: StripeEvent): string | null {
  const found = [wrongObject(event), wrongObject(event.data.object)].filter((one) => one !== null);
  return found.length === 0 ? null : `${event.type}: ${found.join('; ')}`;
}

function wrongObject(object: unknown): string | null {
  const { object: kind, deleted } = object as { object: string; deleted?: true };
  return wrong(`object ${kind}`, { $ref: `stripe#/definitions/${deleted ? `deleted_${kind}` : kind}` }, object);
}

/** The answer to a call that is known. */
export function wrongAnswer({ route, status, body }: AnsweredCall): string | null {
  if (route === null) return null;
  if (status !== 200) return wrong('error', { $ref: 'stripe#/definitions/error' }, body);
  return wrong(`answer ${route}`, converted(published.operations[route]!.answer) as Schema, body);
}

function wrong(name: string, schema: Schema, value: unknown): string | null {
  const validate = compiled.get(name) ?? ajv.compile(schema);
  compiled.set(name, validate);
  return validate(value) ? null : `${name}: ${ajv.errorsText(validate.errors)}`;
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
