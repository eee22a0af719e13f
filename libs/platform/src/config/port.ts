import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

export const PORT_MAX = 65_535;

/** A TCP port as a number; 0 takes a free one. */
export function IsPort(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value,
    ),
    ValidateBy({
      name: 'isPort',
      validator: {
        validate: (value) => Number.isInteger(value) && value >= 0 && value <= PORT_MAX,
        defaultMessage: () => `$property must be a port number from 0 to ${PORT_MAX}`,
      },
    }),
  );
}
