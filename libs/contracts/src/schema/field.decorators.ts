import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsInt,
  IsNumber,
  IsString,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import type { CharacterRange, Class } from './schema-of';

/** The conditions are exported so that the schema can tell the two apart by identity. */
export const isPresent = (_: unknown, value: unknown): boolean => value !== undefined;

export const isNotNull = (_: unknown, value: unknown): boolean => value !== null;

/** Largest stored integer: the `integer` column of PostgreSQL. */
export const MAX_INTEGER = 2 ** 31 - 1;

const DATE = /(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/;
const TIME = /(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?/;
const OFFSET = /Z|[+-](?:[01]\d|2[0-3]):[0-5]\d/;
const RFC_3339 = new RegExp(`^${DATE.source}T${TIME.source}(?:${OFFSET.source})$`);
const nestedClasses = new WeakMap<object, Map<string, () => Class>>();

/** Several decorators as one. Applied from the last to the first, as if they stood above the field in this order. */
export function compose(...decorators: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, property) => decorators.toReversed().forEach((decorate) => decorate(target, property));
}

/** A sentence about a class or a field, for readers of its schema. */
export function Described(description: string): ClassDecorator & PropertyDecorator {
  return JSONSchema({ description }) as ClassDecorator & PropertyDecorator;
}

/** May be left out. Unlike `IsOptional` it does not let `null` pass. */
export function Optional(): PropertyDecorator {
  return ValidateIf(isPresent);
}

/** May be null, but not left out, unless it is `Optional` too. */
export function Nullable(): PropertyDecorator {
  return ValidateIf(isNotNull);
}

/**
 * Length as JSON Schema counts it: code points. The length decorators of class-validator leave out variation selectors,
 * so that they would disagree with the published schema.
 */
export function characterCount(text: string): number {
  return [...text].length;
}

/**
 * At most so many characters.
 * @param options each: of every item of a list
 */
export function MaxCharacters(maximum: number, options?: { each: boolean }): PropertyDecorator {
  const validate = (text: unknown) => typeof text === 'string' && characterCount(text) <= maximum;
  return ValidateBy({ name: 'maxCharacters', constraints: [maximum], validator: { validate } }, options);
}

/** A string whose length is that without the white space around it; it arrives trimmed. */
export function TrimmedText(minimum: number, maximum: number): PropertyDecorator {
  const validate = (text: unknown) => typeof text === 'string' && hasTrimmedLength(text, { minimum, maximum });
  const trim = ({ value }: { value: unknown }): unknown => (typeof value === 'string' ? value.trim() : value);
  return compose(
    IsString(),
    ValidateBy({ name: 'trimmedLength', constraints: [minimum, maximum], validator: { validate } }),
    Transform(trim),
  );
}

/** The rule behind `TrimmedText` and the keyword `trimmedLength`. */
export function hasTrimmedLength(text: string, { minimum, maximum }: CharacterRange): boolean {
  const trimmed = text.trim();
  // A character is one or two UTF-16 units: most texts need no counting.
  if (trimmed.length < minimum || trimmed.length > 2 * maximum) return false;
  if (trimmed.length >= 2 * minimum && trimmed.length <= maximum) return true;
  const count = characterCount(trimmed);
  return count >= minimum && count <= maximum;
}

/** A list of strings. */
export function Strings(): PropertyDecorator {
  return compose(IsArray(), IsString({ each: true }));
}

/** An integer, both ends included. `3.0` is one, a string never is. */
export function IntegerBetween(minimum: number, maximum: number): PropertyDecorator {
  return compose(IsInt(), Min(minimum), Max(maximum));
}

/** A finite number, both ends included. */
export function NumberBetween(minimum: number, maximum: number): PropertyDecorator {
  return compose(IsNumber(), Min(minimum), Max(maximum));
}

/** How many of something: 0 to 2^31 - 1. */
export function Count(): PropertyDecorator {
  return IntegerBetween(0, MAX_INTEGER);
}

/** A score, share or probability: 0 to 1. */
export function Ratio(): PropertyDecorator {
  return NumberBetween(0, 1);
}

/** An instant of RFC 3339 with seconds and offset, on a day that exists: `Date.parse` alone lets 30 February pass. */
export function isInstant(text: unknown): text is string {
  const parts = typeof text === 'string' ? RFC_3339.exec(text) : null;
  return parts !== null && Number(parts[3]) <= daysIn(Number(parts[1]), Number(parts[2]));
}

/** An instant as a string, `date-time` in the schema. */
export function Instant(): PropertyDecorator {
  return ValidateBy({ name: 'isInstant', validator: { validate: isInstant } });
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** The class that `Nested` or `ListOf` gave to a field; inherited fields are found too. */
export function nestedClass(owner: Function, property: string): Class | undefined {
  for (let type = owner.prototype as object | null; type; type = Object.getPrototypeOf(type) as object | null) {
    const found = nestedClasses.get(type)?.get(property);
    if (found) return found();
  }
  return undefined;
}

/** One object of a class. */
export function Nested(type: () => Class): PropertyDecorator {
  return compose(IsJsonObject(), ValidateNested(), Type(type), remember(type));
}

/**
 * An array of objects of a class. `ValidateNested` alone takes arrays and an empty list of lists for objects: refused here.
 * @param size number of items, both ends included; any number when left out
 */
export function ListOf(type: () => Class, size?: { minimum: number; maximum: number }): PropertyDecorator {
  const bounds = size ? [ArrayMinSize(size.minimum), ArrayMaxSize(size.maximum)] : [];
  return compose(IsArray(), ...bounds, HoldsObjects(), ValidateNested({ each: true }), Type(type), remember(type));
}

/** An object in the sense of JSON: neither null nor an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function IsJsonObject(): PropertyDecorator {
  return ValidateBy({ name: 'isJsonObject', validator: { validate: isJsonObject } });
}

function HoldsObjects(): PropertyDecorator {
  const validate = (list: unknown) => Array.isArray(list) && list.every(isJsonObject);
  return ValidateBy({ name: 'holdsObjects', validator: { validate } });
}

function remember(type: () => Class): PropertyDecorator {
  return (target, property) => {
    if (!nestedClasses.has(target)) nestedClasses.set(target, new Map());
    nestedClasses.get(target)!.set(String(property), type);
  };
}
