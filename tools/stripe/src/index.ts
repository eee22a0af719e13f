export { DevelopmentStripe, type DevelopmentStripeOptions, type Mode, type StripeSettings } from './development-stripe';
export type { CheckoutCard } from './billing/checkout';
export type { StripeEvent } from './events/event-log';
export type { AnsweredCall } from './http/api';
export { signWebhook } from './events/deliveries';
export { API_VERSION } from './schema/published';
export type { Card } from './world/world';
