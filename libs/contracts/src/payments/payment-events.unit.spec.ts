import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { EVENT_EXAMPLES } from '../events/event-examples';
import type { Class } from '../schema/schema-of';
import { PaymentSettled } from './payment-events';

const wrongFields = (type: Class, data: object) =>
  validateSync(plainToInstance(type, data)).map((error) => error.property);
const settled = EVENT_EXAMPLES.find(({ event }) => event === PaymentSettled)!.data;

describe('events', () => {
  it.each(EVENT_EXAMPLES)('$event.type takes its example', ({ event, data }) => {
    expect(wrongFields(event, data)).toEqual([]);
  });

  it('of older releases have no nonce, and some no transaction', () => {
    expect(wrongFields(PaymentSettled, { ...settled, nonce: undefined, served: undefined })).toEqual([]);
    expect(wrongFields(PaymentSettled, { ...settled, nonce: null, transactionHash: null })).toEqual([]);
  });

  it.each([
    ['wallet', '0x857B06519E91E3A54538791BDBB0E22373E36B66'],
    ['asset', '0x83'],
    ['amountMicros', 2 ** 53],
    ['amountMicros', -1],
    ['amountMicros', '50000'],
    ['transactionHash', undefined],
    ['transactionHash', ''],
    ['settledAt', '2026-01-31'],
    ['tier', 'gold'],
    ['paymentId', '1'],
    ['nonce', '0x12'],
    ['served', 'yes'],
    ['rebateMicros', 0.5],
  ])('refuses %s %p', (field, value) =>
    expect(wrongFields(PaymentSettled, { ...settled, [field]: value })).toEqual([field]),
  );
});
