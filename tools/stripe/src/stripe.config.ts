import { NotEquals } from 'class-validator';

/** What the process reads from the environment. */
export class StripeConfig {
  @NotEquals('production', { message: 'NODE_ENV must not be production: this Stripe takes no real money' })
  NODE_ENV = 'development';
}
