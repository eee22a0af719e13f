import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

/** `on` or `off`, nothing else: a text such as `false` would read as true. The property is a boolean. */
export function IsSwitch(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (value === 'on' ? true : value === 'off' ? false : value)),
    ValidateBy({
      name: 'isSwitch',
      validator: {
        validate: (value) => typeof value === 'boolean',
        defaultMessage: () => '$property must be on or off',
      },
    }),
  );
}
