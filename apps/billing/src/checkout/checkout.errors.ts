import { PAID_PLAN_CODES, UPGRADE_PATHS } from '@evenkeel/contracts';
import { DomainError } from '@evenkeel/kernel';
import { Logger } from '@nestjs/common';
import { PORTAL_PATH, ProviderNotConfigured, ProviderRefusal } from '../provider/stripe-api';

const { plans_path, upgrade_path } = UPGRADE_PATHS;

/** The catalogue has no such plan. */
export class UnknownPlan extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'unknown_plan';
  override readonly details = { plans: PAID_PLAN_CODES, plans_path };

  constructor() {
    super(`There is no such plan. Choose ${PAID_PLAN_CODES.join(' or ')}.`);
  }
}

/** The free plan is nothing to buy. */
export class PlanNotPurchasable extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'plan_not_purchasable';
  override readonly details = { plans: PAID_PLAN_CODES, plans_path };

  constructor() {
    super('The free plan costs nothing and needs no checkout. To go back to it, cancel the subscription.');
  }
}

/** The provider collects for a subscription already, or would once it is paid. */
export class AlreadySubscribed extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'already_subscribed';
  override readonly details: Readonly<Record<string, string>>;

  /** @param paymentUrl where an invoice of it waits to be paid */
  constructor(paymentUrl: string | null) {
    super(
      paymentUrl === null
        ? 'You have a subscription. Change its plan, or open the portal for its card and invoices.'
        : 'You have a subscription that waits to be paid. Pay its invoice, or open the portal to change its card.',
    );
    const paths = { portal_path: PORTAL_PATH, change_plan_path: '/v1/billing/change-plan' };
    this.details = { ...paths, ...(paymentUrl !== null && { payment_url: paymentUrl }) };
  }
}

/** There is nothing at the provider that could be changed or shown. */
export class NoSubscription extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'no_subscription';
  override readonly details = { upgrade_path, plans_path };

  constructor() {
    super('You have no subscription that this could change. Buy a plan by checkout first.');
  }
}

const logger = new Logger('checkout');

/** A refusal that nobody but the operator can end: the settings here and at the provider do not fit. */
export function misconfigured(error: unknown): Error {
  if (!(error instanceof ProviderRefusal)) return error as Error;
  const { status, providerCode, param } = error;
  logger.error({ message: 'the payment provider refuses a call: check its settings', status, providerCode, param });
  return new ProviderNotConfigured(
    'The payment provider does not take this at the moment. The operator has been notified.',
  );
}
