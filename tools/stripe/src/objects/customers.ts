import type Stripe from 'stripe';
import { newId, randomText } from '../world/ids';

export interface NewCustomer {
  email: string | null;
  name: string | null;
  description: string | null;
  metadata: Stripe.Metadata;
}

export function aCustomer(created: number, wanted: NewCustomer): Stripe.Customer {
  return {
    id: newId('cus', 14),
    object: 'customer',
    address: null,
    balance: 0,
    created,
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: wanted.description,
    discount: null,
    email: wanted.email,
    invoice_prefix: randomText(8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: wanted.metadata,
    name: wanted.name,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
}

/** A card, as the page saves it for later invoices. */
export function aPaymentMethod(created: number, customer: string | null, last4: string): Stripe.PaymentMethod {
  return {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'limited',
    billing_details: noBillingDetails(),
    card: {
      brand: 'visa',
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: 'visa',
      exp_month: 12,
      exp_year: 2040,
      fingerprint: randomText(16),
      funding: 'credit',
      generated_from: null,
      last4,
      networks: { available: ['visa'], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created,
    customer,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  };
}

export function noBillingDetails(): Stripe.PaymentMethod.BillingDetails {
  const address = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };
  return { address, email: null, name: null, phone: null, tax_id: null };
}
