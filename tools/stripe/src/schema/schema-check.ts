import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import type { ValidateFunction } from 'ajv';
import type { StripeEvent } from '../events/event-log';
import type { AnsweredCall } from '../http/api';
import { readForm, type Tree } from '../http/params';
import { PUBLISHED_FILE, type Published, type Schema } from './published';

export const published = JSON.parse(readFileSync(join(__dirname, '../..', PUBLISHED_FILE), 'utf8')) as Published;

/** Members that Stripe sends and its client declares, and that its description leaves out. */
const UNDESCRIBED: Record<string, readonly string[]> = {
  charge: ['source'],
  payment_intent: ['source'],
  product: ['type'],
  recurring: ['trial_period_days'],
  subscription_item: ['plan'],
};

const ofAnswers = new Ajv({ strict: false, validateFormats: false, code: { optimize: false }, inlineRefs: false });
ofAnswers.addSchema({ $id: 'stripe', definitions: convertedSchemas() });
/** In a form everything is text: it becomes a number where the schema asks for one. */
const ofForms = new Ajv({ strict: false, allErrors: true, validateFormats: false, coerceTypes: true });
const compiled = new Map<string, ValidateFunction>();

/** What is wrong with an object by Stripe's schema of its kind; null when nothing is. */
export function wrongObject(object: unknown): string | null {
  const { object: kind, deleted } = object as { object: string; deleted?: true };
  return wrong(`object ${kind}`, { $ref: `stripe#/definitions/${deleted ? `deleted_${kind}` : kind}` }, object);
}

/** Of an event its envelope and what it carries are checked. */
export function wrongEvent(event: StripeEvent): string | null {
  const found = [wrongObject(event), wrongObject(event.data.object)].filter((one) => one !== null);
  return found.length === 0 ? null : `${event.type}: ${found.join('; ')}`;
}

/** @param route as in `operations` */
export function wrongAnswer(route: string, answer: unknown): string | null {
  return wrong(`answer ${route}`, converted(published.operations[route]!.answer) as Schema, answer);
}

export function wrongError(answer: unknown): string | null {
  return wrong('error', { $ref: 'stripe#/definitions/error' }, answer);
}

/** The parameters of a call: those of the query, and the form. */
export function wrongParameters(route: string, query: Tree, form: Tree): string | null {
  const operation = published.operations[route]!;
  const none: Schema = { type: 'object', properties: {}, additionalProperties: false };
  const asked: Schema = { ...none, properties: operation.query };
  const sent = operation.form ?? none;
  // The client writes the form of a DELETE into the query.
  if (route.startsWith('DELETE ')) return wrong(`form ${route}`, converted(sent) as Schema, plain(query), ofForms);
  return (
    wrong(`query ${route}`, converted(asked) as Schema, plain(query), ofForms) ??
    wrong(`form ${route}`, converted(sent) as Schema, plain(form), ofForms)
  );
}

/** The parameters of a call as it came; of one that nobody knows, that it is so. */
export function wrongCall({ route, request }: AnsweredCall): string | null {
  if (route === null) return `${request.method} ${request.path} is not known`;
  return wrongParameters(route, readForm(request.query), readForm(request.body));
}

function wrong(name: string, schema: Schema, value: unknown, ajv = ofAnswers): string | null {
  let validate = compiled.get(name);
  if (!validate) {
    validate = ajv.compile(schema);
    compiled.set(name, validate);
  }
  if (validate(value)) return null;
  const errors = validate.errors!.map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  return `${name}: ${[...new Set(errors)].slice(0, 6).join('; ')}`;
}

/** Lists of a form are objects with numbers for names. */
function plain(value: string | Tree): unknown {
  if (typeof value === 'string') return value;
  const names = Object.keys(value);
  const list = names.length > 0 && names.every((name, place) => name === String(place));
  if (list) return names.map((name) => plain(value[name]!));
  return Object.fromEntries(names.map((name) => [name, plain(value[name]!)]));
}

function convertedSchemas(): Record<string, unknown> {
  const schemas = Object.entries(published.schemas).map(([name, schema]) => {
    const own = converted(schema) as { properties?: Record<string, unknown> };
    for (const extra of UNDESCRIBED[name] ?? []) own.properties![extra] = {};
    return [name, own] as const;
  });
  return Object.fromEntries(schemas);
}

/** OpenAPI 3.0 as JSON Schema: `nullable`, references; an object has no members that are not described. */
function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...schema } = value as Schema;
  const members = Object.entries(schema).map(([name, member]) => {
    if (name === '$ref') return [name, (member as string).replace('#/components/schemas/', 'stripe#/definitions/')];
    if (name === 'properties') {
      const properties = Object.entries(member as Record<string, unknown>);
      return [name, Object.fromEntries(properties.map(([property, own]) => [property, converted(own)]))];
    }
    return [name, converted(member)];
  });
  const plainSchema = Object.fromEntries(members) as Schema;
  const closed =
    plainSchema.properties && plainSchema.additionalProperties === undefined
      ? { ...plainSchema, additionalProperties: false }
      : plainSchema;
  return nullable === true ? { anyOf: [closed, { type: 'null' }] } : closed;
}
