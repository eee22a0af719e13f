import { ValidateBy } from 'class-validator';
import { es256KeysOf } from './es256-keys';
import { secretKeysOf } from './secret-keys';

/** A setting for `secretKeysOf`. */
export function IsSecretKeys(): PropertyDecorator {
  return readableBy('isSecretKeys', secretKeysOf, 'must be a list of kid:base64 with 32-byte keys, comma-separated');
}

/** A setting for `es256KeysOf`. */
export function IsEs256Keys(): PropertyDecorator {
  return readableBy(
    'isEs256Keys',
    es256KeysOf,
    'must be a list of kid:base64 with 32-byte P-256 private keys, comma-separated; after the first also kid:x.y',
  );
}

function readableBy(name: string, read: (written: string) => unknown, expected: string): PropertyDecorator {
  const validate = (value: unknown): boolean => {
    try {
      return read(String(value)) !== undefined;
    } catch {
      return false;
    }
  };
  return ValidateBy({ name, validator: { validate, defaultMessage: () => `$property ${expected}` } });
}
