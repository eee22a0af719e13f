import type { OpenApiParameter } from '@evenkeel/contracts';
import fc from 'fast-check';
import type { DocumentedOperation } from './documented-operation.fixture';
import { altered, SchemaValues } from './schema-values.fixture';

/** A request of one operation, without what its caller adds. */
export interface FuzzedRequest {
  /** Of the path, by name; null where the caller knows a real one. */
  ids: Readonly<Record<string, string | null>>;
  query: readonly (readonly [string, string])[];
  headers: Readonly<Record<string, string>>;
  body: string | null;
  /** Whether the document allows it; null where that is not asked, such as of a text that is no JSON. */
  fits: boolean | null;
  /** The caller shows who they are, or pays. */
  isSigned: boolean;
}

const ODD_TEXTS = ['', ' ', '-1', '1.5', '9'.repeat(30), '%00', 'ä', 'x'.repeat(300), "'; --", '../..'];
const MALFORMED = ['', '{', '[]', 'null', '"text"', '{"a":1}x', '['.repeat(40), '{"a":"\\ud800"}', '\u0000'];
const BOUNDARY = 'fuzzed-form';

/** A parameter as it is sent; undefined where it is left out. */
interface Sent {
  name: string;
  in: OpenApiParameter['in'];
  text: string | null | undefined;
  fits: boolean;
}

export function requestsOf(operation: DocumentedOperation): fc.Arbitrary<FuzzedRequest> {
  const values = new SchemaValues(operation.read);
  const parameters = operation.parameters.map((parameter) => sentAs(parameter, operation, values));
  return fc
    .tuple(fc.tuple(...parameters), bodyOf(operation, values), fc.integer({ min: 0, max: 9 }))
    .map(([sent, { text, headers, fits }, one]) => {
      const present = sent.filter((parameter) => parameter.text !== undefined);
      const named = (place: string) =>
        present.filter((parameter) => parameter.in === place).map(({ name, text: value }) => [name, value!] as const);
      return {
        ids: Object.fromEntries(named('path')),
        query: named('query'),
        headers: { ...headers, ...Object.fromEntries(named('header')) },
        body: text,
        fits: fits === null ? null : fits && sent.every((parameter) => parameter.fits),
        isSigned: one > 0,
      };
    });
}

/** Mostly as its schema says, also none where none must be, sometimes any text. */
function sentAs(parameter: OpenApiParameter, operation: DocumentedOperation, values: SchemaValues): fc.Arbitrary<Sent> {
  const { name, in: place, required, schema } = parameter;
  const fitting = operation.fitsParameter(parameter);
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  const fitsSchema = (text: string): boolean => {
    if (isNumber) return /^-?\d+$/.test(text) && fitting(Number(text));
    if (schema.type === 'boolean') return text === 'true' || text === 'false';
    return fitting(text);
  };
  const sent = (text: string | null | undefined, fits: boolean): Sent => ({ name, in: place, text, fits });
  const asSent = (text: string): Sent => sent(carried(place, text), fitsSchema(carried(place, text)));
  const good = values.of(schema).map((value) => asSent(String(value)));
  const odd = fc.constantFrom(...ODD_TEXTS).map(asSent);
  const choices = [
    { weight: 3, arbitrary: good },
    { weight: 1, arbitrary: odd },
  ];
  if (place === 'path') return fc.oneof({ weight: 4, arbitrary: fc.constant(sent(null, true)) }, ...choices);
  if (required) return fc.oneof({ weight: 1, arbitrary: fc.constant(sent(undefined, false)) }, ...choices);
  return fc.oneof({ weight: 3, arbitrary: fc.constant(sent(undefined, true)) }, ...choices);
}

/** A longer part of a path leads nowhere. */
const LONGEST_PART = 100;

/** Values that a part of a request can carry: a header has no line ends, a path no empty part. */
function carried(place: OpenApiParameter['in'], text: string): string {
  if (place === 'header') return text.replace(/[^\x20-\x7e]/gu, '~').trim();
  return place === 'path' ? text.replace(/^\.{0,2}$/, 'x').slice(0, LONGEST_PART) : text;
}

interface Body {
  text: string | null;
  headers: Record<string, string>;
  fits: boolean | null;
}

function bodyOf(operation: DocumentedOperation, values: SchemaValues): fc.Arbitrary<Body> {
  const { body } = operation;
  if (!body) return fc.constant({ text: null, headers: {}, fits: true });
  if (body.type === 'multipart/form-data') return fc.string({ maxLength: 200 }).map(form);
  if (body.type !== 'application/json') {
    return fc.string().map((text) => ({ text, headers: { 'content-type': 'application/json' }, fits: null }));
  }
  const fitting = operation.fitsBody();
  const headers = { 'content-type': 'application/json' };
  const json = (value: unknown): Body => {
    const text = JSON.stringify(value);
    // As sent: JSON has no undefined, no infinity, and a name once.
    return { text, headers, fits: hasOddText(text) ? null : fitting(JSON.parse(text)) };
  };
  const good = values.of(body.schema);
  return fc.oneof(
    { weight: 5, arbitrary: good.map(json) },
    { weight: 4, arbitrary: altered(good).map(json) },
    { weight: 1, arbitrary: fc.constantFrom(...MALFORMED).map((text) => ({ text, headers, fits: null })) },
    { weight: 1, arbitrary: fc.constant({ text: 'a=b', headers: { 'content-type': 'text/plain' }, fits: null }) },
  );
}

/** NUL, halves of characters and names that reach for a prototype, which no body may have: JSON Schema has no word for them. */
function hasOddText(json: string): boolean {
  return /\\u0000|\\ud[89a-f]|"(?:__proto__|constructor|hasOwnProperty)":/i.test(json);
}

function form(content: string): Body {
  const part = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="habits.csv"\r\n\r\n${content}\r\n`;
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  return { text: `${part}--${BOUNDARY}--\r\n`, headers, fits: null };
}
