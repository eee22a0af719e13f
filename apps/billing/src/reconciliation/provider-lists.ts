import type { Stripe } from 'stripe' with { 'resolution-mode': 'import' };
import type { ProviderObject } from '../provider/members';
import { ProviderRefusal, type StripeApi } from '../provider/stripe-api';

const PAGE = 100;

interface Page {
  limit: number;
  starting_after?: string;
}

/** The objects of a list at the provider, the newest first, a page at a time. */
export async function* pagesOf(
  provider: StripeApi,
  ask: (stripe: Stripe, page: Page) => Promise<Stripe.Response<Stripe.ApiList<{ id: string }>>>,
): AsyncGenerator<ProviderObject[]> {
  let after: string | undefined;
  for (;;) {
    const page: Page = { limit: PAGE, ...(after !== undefined && { starting_after: after }) };
    const { data, has_more } = (await provider.call((stripe) => ask(stripe, page))).result;
    yield data as unknown[] as ProviderObject[];
    after = data.at(-1)?.id;
    if (!has_more || after === undefined) return;
  }
}

/** One object of the provider; null when it has none of this id. */
export async function findThere(
  provider: StripeApi,
  ask: (stripe: Stripe) => Promise<object>,
): Promise<ProviderObject | null> {
  try {
    return (await provider.call(ask)).result as ProviderObject;
  } catch (error) {
    if (error instanceof ProviderRefusal && error.isMissing) return null;
    throw error;
  }
}

/** As the provider counts time. */
export function secondsOf(instant: Date): number {
  return Math.floor(instant.getTime() / 1_000);
}
