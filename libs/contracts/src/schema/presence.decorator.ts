import { ValidateIf } from 'class-validator';

/** The conditions are exported so that the schema can tell the two apart by identity. */
export const isPresent = (_: unknown, value: unknown): boolean => value !== undefined;
export const isNotNull = (_: unknown, value: unknown): boolean => value !== null;

/** May be left out. Unlike `IsOptional` it does not let `null` pass. */
export function Optional(): PropertyDecorator {
  return ValidateIf(isPresent);
}

/** May be null, but not left out. */
export function Nullable(): PropertyDecorator {
  return ValidateIf(isNotNull);
}
