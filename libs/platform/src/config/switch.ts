import { setting } from './setting';

/** `on` or `off`, nothing else: a text such as `false` would read as true. The property is a boolean. */
export function IsSwitch(): PropertyDecorator {
  return setting({
    name: 'isSwitch',
    read: (text) => (text === 'on' ? true : text === 'off' ? false : text),
    isValid: (value) => typeof value === 'boolean',
    expected: 'on or off',
  });
}
