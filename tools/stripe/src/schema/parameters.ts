import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import { Refusal } from '../calls/call';
import { published } from './published';

/** A form or a query as a tree: `items[0][price]=x` lies under `items`, `0`, `price`. */
interface Tree {
  [name: string]: unknown;
}

/** @throws Refusal for names that are no paths */
export function readForm(text: string): Tree {
  const tree: Tree = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
    if (!match) throw Refusal.invalid(`Invalid parameter name: ${name}`, name);
    const path = [match[1]!, ...[...match[2]!.matchAll(/\[([^[\]]*)\]/g)].map(([, part]) => part!)];
    let inner = tree;
    path.forEach((part, step) => {
      const key = part === '' ? String(Object.keys(inner).length) : part;
      if (step === path.length - 1) inner[key] = value;
      else if (typeof (inner[key] ??= Object.create(null)) === 'object') inner = inner[key] as Tree;
      else throw Refusal.invalid(`Invalid parameter: ${name} is text and an object`, name);
    });
  }
  return plain(tree) as Tree;
}

/** Lists of a form are objects with numbers for names. */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return value;
  const names = Object.keys(value as Tree);
  const isList = names.length > 0 && names.every((name, index) => name === String(index));
  const inner = names.map((name) => plain((value as Tree)[name]));
  return isList ? inner : Object.fromEntries(names.map((name, index) => [name, inner[index]]));
}

/** In a form everything is text: it becomes a number or a boolean where Stripe's schema asks for one. */
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, coerceTypes: true });
const compiled = new Map<string, ValidateFunction>();

/**
 * Parameters of a call, checked by Stripe's own description.
 * @param known those that this Stripe reads, `subscription_data.metadata` with all that is in it: any other is refused, so
 *   that nothing is ignored silently
 * @throws Refusal
 */
export function readParameters(route: string, known: readonly string[], text: { query: string; body: string }): Tree {
  // The client writes the form of a DELETE into the query.
  const given = { ...readForm(text.query), ...readForm(text.body) };
  const validate = compiled.get(route) ?? ajv.compile(schemaOf(route));
  compiled.set(route, validate);
  if (!validate(given)) throw refusalOf(validate.errors![0]!);
  const unknown = unknownIn(given, known);
  if (unknown !== undefined) {
    throw Refusal.invalid(`The development Stripe does not read ${unknown}`, unknown, 'parameter_unknown');
  }
  return given;
}

function schemaOf(route: string): object {
  const { query, form } = published.operations[route]!;
  return route.startsWith('GET ') ? { type: 'object', properties: query, additionalProperties: false } : form!;
}

function refusalOf({ keyword, instancePath, message, params }: ErrorObject): Refusal {
  const { missingProperty, additionalProperty } = params as { missingProperty?: string; additionalProperty?: string };
  const named = missingProperty ?? additionalProperty;
  const path = [...instancePath.split('/').slice(1), ...(named === undefined ? [] : [named])];
  const param = path.map((part, step) => (step === 0 ? part : `[${part}]`)).join('');
  if (keyword === 'required') return Refusal.invalid(`Missing required param: ${param}.`, param, 'parameter_missing');
  const code = keyword === 'additionalProperties' ? 'parameter_unknown' : 'parameter_invalid';
  return Refusal.invalid(`Invalid ${param}: ${message}`, param, code);
}

function unknownIn(value: unknown, known: readonly string[], path = ''): string | undefined {
  if (path !== '' && known.includes(path)) return undefined;
  const isWhole = typeof value !== 'object' || value === null;
  if (path !== '' && (isWhole || !known.some((name) => name.startsWith(`${path}.`)))) return path;
  for (const [name, inner] of Object.entries(value as object)) {
    const within = Array.isArray(value) ? path : path === '' ? name : `${path}.${name}`;
    const unknown = unknownIn(inner, known, within);
    if (unknown !== undefined) return unknown;
  }
  return undefined;
}
