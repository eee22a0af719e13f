import { aPrice, aProduct } from './objects/prices';
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
