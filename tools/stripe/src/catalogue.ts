import { aPrice, aProduct, type NewPrice } from './objects/prices';
import { newId } from './world/ids';
import type { World } from './world/world';

export interface Prices {
  monthly: string;
  yearly: string;
}

/** Amounts of the two plans in cents. */
export interface Amounts {
  monthly: number;
  yearly: number;
}

const PRODUCT = 'prod_EvenkeelPremium';
const PRICES: Prices = { monthly: 'price_1EvenkeelPremiumMonthly', yearly: 'price_1EvenkeelPremiumYearly' };

/** The product of the account and its two prices, with the same ids in every run. */
export function addCatalogue(world: World, amounts: Amounts): Prices {
  const created = world.time.seconds;
  world.add(world.products, aProduct(PRODUCT, 'Premium', created));
  for (const [plan, interval] of [
    ['monthly', 'month'],
    ['yearly', 'year'],
  ] as const) {
    const nickname = `Premium (${plan})`;
    const price = aPrice({
      id: PRICES[plan],
      product: PRODUCT,
      nickname,
      interval,
      amountCents: amounts[plan],
      created,
    });
    world.add(world.prices, price);
  }
  return PRICES;
}

/** A price of the plans' product, or of a product of its own that somebody else sells at the account. */
export interface AddedPrice extends Pick<NewPrice, 'interval' | 'intervalCount' | 'currency' | 'amountCents'> {
  isOfPlans?: boolean;
}

export function addPrice(world: World, { isOfPlans = false, ...wanted }: AddedPrice): string {
  const created = world.time.seconds;
  const nickname = isOfPlans ? 'Premium (other)' : 'Newsletter';
  if (!isOfPlans) world.add(world.products, aProduct(newId('prod', 14), nickname, created));
  const product = isOfPlans ? PRODUCT : [...world.products.keys()].at(-1)!;
  return world.add(world.prices, aPrice({ ...wanted, id: newId('price'), product, nickname, created })).id;
}
