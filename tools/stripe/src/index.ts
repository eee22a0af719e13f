export { DevelopmentStripe, type DevelopmentStripeOptions, type StripeSettings } from './development-stripe';
export type { AnsweredCall } from './api';
export type { CheckoutCard } from './subscriptions';
export { signWebhook } from './deliveries';
export { API_VERSION } from './schema/published';
