import { ValidateBy } from 'class-validator';

/** A setting that only tests and trials know. The class has a `NODE_ENV` of its own. */
export function NotInProduction(): PropertyDecorator {
  return ValidateBy({
    name: 'notInProduction',
    validator: {
      validate: (value, args) =>
        value === undefined || (args?.object as { NODE_ENV?: string } | undefined)?.NODE_ENV !== 'production',
      defaultMessage: () => '$property must not be set when NODE_ENV=production',
    },
  });
}
