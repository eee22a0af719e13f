import { readPaidInvoice } from './read-money';

it.each([
  ['subscription_create', 'first'],
  ['subscription_cycle', 'cycle'],
  ['subscription_update', 'change'],
  ['manual', 'other'],
  ['__proto__', 'other'],
  ['constructor', 'other'],
])('an invoice because of %s counts as %s', (billing_reason, reason) => {
  const invoice = { id: 'in_1', currency: 'usd', amount_paid: 799, billing_reason };
  expect(readPaidInvoice(invoice, new Map(), new Date(0))).toMatchObject({ invoiceId: 'in_1', reason });
});
