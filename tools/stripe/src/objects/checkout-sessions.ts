import type Stripe from 'stripe';
import { newId } from '../world/ids';

export interface NewSession {
  id: string;
  address: string;
  created: number;
  expiresAt: number;
  price: Stripe.Price;
  quantity: number;
  customer: string | null;
  customerEmail: string | null;
  clientReferenceId: string | null;
  successUrl: string | null;
  cancelUrl: string | null;
  metadata: Stripe.Metadata;
  /** With a trial nothing is to be paid yet. */
  trial: boolean;
}

/** An open session of mode subscription, for the hosted page. */
export function aCheckoutSession(wanted: NewSession): Stripe.Checkout.Session {
  const amount = wanted.trial ? 0 : wanted.price.unit_amount! * wanted.quantity;
  return {
    id: wanted.id,
    object: 'checkout.session',
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: null,
    amount_subtotal: amount,
    amount_total: amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: wanted.cancelUrl,
    client_reference_id: wanted.clientReferenceId,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: wanted.created,
    currency: wanted.price.currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: wanted.customer,
    customer_account: null,
    customer_creation: wanted.customer === null ? 'always' : null,
    customer_details: null,
    customer_email: wanted.customerEmail,
    discounts: [],
    excluded_payment_method_types: [],
    expires_at: wanted.expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    locale: null,
    managed_payments: null,
    metadata: wanted.metadata,
    mode: 'subscription',
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: 'always',
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: null,
    subscription: null,
    success_url: wanted.successUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${wanted.address}/checkout/${wanted.id}`,
    wallet_options: null,
  };
}

export function aLineItem(price: Stripe.Price, quantity: number): Stripe.LineItem {
  const amount = price.unit_amount! * quantity;
  return {
    id: newId('li'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: price.currency,
    description: price.nickname,
    metadata: null,
    price,
    quantity,
  };
}
