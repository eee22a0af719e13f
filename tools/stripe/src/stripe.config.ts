import { NotEquals } from 'class-validator';

/** The settings of the process. */
export class StripeConfig {
  @NotEquals('production', { message: 'NODE_ENV must not be production: this Stripe takes no real money' })
  NODE_ENV = 'development';
}
