import { EventValidator, InvalidEventData } from './cloud-events';
import { BoxFilled } from './messaging.fixture';

it('refuses data that does not fit its class', () => {
  const reader = new EventValidator();
  expect(() => reader.check(BoxFilled, { box: 'a', item: 1.5 })).toThrow(InvalidEventData);
  expect(() => reader.check(BoxFilled, { box: 'a', item: 1 })).not.toThrow();
});
