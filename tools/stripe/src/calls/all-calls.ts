import type { Calls } from './call';
import { CHECKOUT_CALLS } from './checkout';
import { CUSTOMER_CALLS, EVENT_CALLS, PRICE_CALLS } from './customers';
import { INVOICE_CALLS } from './invoices';
import { PAYMENT_CALLS } from './payments';
import { PORTAL_CALLS } from './portal';
import { SUBSCRIPTION_CALLS } from './subscriptions';

export const ALL_CALLS: Calls = {
  ...CUSTOMER_CALLS,
  ...CHECKOUT_CALLS,
  ...PORTAL_CALLS,
  ...SUBSCRIPTION_CALLS,
  ...INVOICE_CALLS,
  ...PRICE_CALLS,
  ...PAYMENT_CALLS,
  ...EVENT_CALLS,
};
