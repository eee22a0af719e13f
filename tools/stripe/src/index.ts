export { DevelopmentStripe, type DevelopmentStripeOptions, type StripeSettings } from './development-stripe';
export type { CheckoutCard } from './billing/checkout';
export type { AnsweredCall } from './http/api';
export { signWebhook } from './events/deliveries';
export { API_VERSION } from './schema/published';
