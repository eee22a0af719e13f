import { setting } from './setting';

const HOST_AND_PORT = /^[a-z0-9.-]+:\d{1,5}$/i;

/** `host:port`, comma-separated, any brokers of the cluster. The property is a list of strings. */
export function IsBrokers(): PropertyDecorator {
  return setting({
    name: 'isBrokers',
    read: (text) => text.split(','),
    isValid: (value) => Array.isArray(value) && value.every((broker) => HOST_AND_PORT.test(String(broker))),
    expected: 'a list of host:port, comma-separated',
  });
}
