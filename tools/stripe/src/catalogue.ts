import type Stripe from 'stripe';
import { aPrice, type NewPrice } from './objects/sales';
import { anObject } from './schema/published';
import { newId } from './world/ids';
import type { World } from './world/world';

export interface Prices {
  monthly: string;
  yearly: string;
}

const PRODUCT = 'prod_EvenkeelPremium';
const PRICES: Prices = { monthly: 'price_1EvenkeelPremiumMonthly', yearly: 'price_1EvenkeelPremiumYearly' };

/** The product of the account and its two prices, with the same ids in every run. */
export function addCatalogue(world: World): Prices {
  const created = world.time.seconds;
  addProduct(world, PRODUCT, 'Premium');
  const common = { product: PRODUCT, created };
  const monthly = { ...common, id: PRICES.monthly, nickname: 'Premium (monthly)', amountCents: 799 };
  const yearly = { ...common, id: PRICES.yearly, nickname: 'Premium (yearly)', amountCents: 5_999 };
  world.add(world.prices, aPrice({ ...monthly, interval: 'month' }));
  world.add(world.prices, aPrice({ ...yearly, interval: 'year' }));
  return PRICES;
}

/** A price of the plans' product, or of a product of its own that somebody else sells at the account. */
export interface AddedPrice extends Pick<NewPrice, 'id' | 'interval' | 'intervalCount' | 'currency' | 'amountCents'> {
  isOfPlans?: boolean;
}

export function addPrice(world: World, { isOfPlans = false, ...wanted }: AddedPrice): string {
  const created = world.time.seconds;
  const nickname = isOfPlans ? 'Premium (other)' : 'Newsletter';
  const product = isOfPlans ? PRODUCT : newId('prod', 14);
  if (!isOfPlans) addProduct(world, product, nickname);
  return world.add(world.prices, aPrice({ ...wanted, product, nickname, created })).id;
}

function addProduct(world: World, id: string, name: string): void {
  const created = world.time.seconds;
  world.add(world.products, anObject<Stripe.Product>('product', { id, active: true, created, updated: created, name }));
}
