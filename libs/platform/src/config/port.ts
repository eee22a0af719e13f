import { setting } from './setting';

const PORT_MAX = 65_535;

/** A TCP port as a number; 0 takes a free one. */
export function IsPort(): PropertyDecorator {
  return setting({
    name: 'isPort',
    read: (text) => (/^\d{1,5}$/.test(text) ? Number(text) : text),
    isValid: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= PORT_MAX,
    expected: `a port number from 0 to ${PORT_MAX}`,
  });
}
