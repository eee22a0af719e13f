// Loads reflect-metadata, which `Type` needs when a class is defined.
import 'class-validator-jsonschema';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, ValidateBy, ValidateNested } from 'class-validator';
import { compose } from './compose';
import type { Class } from './json-schema';

const nestedClasses = new WeakMap<object, Map<string, () => Class>>();

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
