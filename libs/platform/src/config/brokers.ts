import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

const HOST_AND_PORT = /^[a-z0-9.-]+:\d{1,5}$/i;

/** `host:port`, comma-separated, any brokers of the cluster. The property is a list of strings. */
export function IsBrokers(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value)),
    ValidateBy({
      name: 'isBrokers',
      validator: {
        validate: (value) => Array.isArray(value) && value.every((broker) => HOST_AND_PORT.test(String(broker))),
        defaultMessage: () => '$property must be a list of host:port, comma-separated',
      },
    }),
  );
}
