import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

interface Setting {
  name: string;
  /** Its text as a value; the text itself when it is none, for the rule to refuse. */
  read: (text: string) => unknown;
  isValid: (value: unknown) => boolean;
  /** Ends the sentence `VARIABLE must be …`. */
  expected: string;
}

/** A decorator for settings with a text of their own. Without Nest, which tools that only read settings do not load. */
export function setting({ name, read, isValid, expected }: Setting): PropertyDecorator {
  const transform = Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? read(value) : value));
  const rule = ValidateBy({
    name,
    validator: { validate: isValid, defaultMessage: () => `$property must be ${expected}` },
  });
  return (target, property) => {
    transform(target, property);
    rule(target, property);
  };
}
