import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { EVENT_EXAMPLES } from '../events/event-examples';
import type { Class } from '../schema/schema-of';
import { PaymentSettled } from './payment-events';

const wrongFields = (type: Class, data: object) =>
  validateSync(plainToInstance(type, data)).map((error) => error.property);
const settled = EVENT_EXAMPLES.find(({ event }) => event === PaymentSettled)!.data;

it.each(EVENT_EXAMPLES)('$event.type takes its example', ({ event, data }) => {
  expect(wrongFields(event, data)).toEqual([]);
});

it('events of older releases have no nonce, and some no transaction', () => {
  const older = { ...settled, nonce: undefined, served: undefined };
  expect(wrongFields(PaymentSettled, older)).toEqual([]);
  expect(wrongFields(PaymentSettled, { ...older, nonce: null, transactionHash: null })).toEqual([]);
});

it.each([
  ['wallet', '0x857B06519E91E3A54538791BDBB0E22373E36B66'],
  ['amountMicros', 2 ** 53],
  ['transactionHash', undefined],
  ['tier', 'gold'],
  ['nonce', '0x12'],
  ['rebateMicros', 0.5],
])('a payment whose %s is %p is refused', (field, value) =>
  expect(wrongFields(PaymentSettled, { ...settled, [field]: value })).toEqual([field]),
);
