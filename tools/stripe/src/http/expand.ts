import type { World } from '../world/world';
import { Refusal } from './refusal';

type Values = Record<string, unknown>;
type Render = (object: object) => Values;

const MOST_STEPS = 4;

/**
 * Replaces ids along a path such as `data.latest_invoice` by the objects themselves.
 * @throws Refusal for what cannot be expanded, and for more than four steps
 */
export function expand(world: World, render: Render, root: Values, path: string): void {
  const steps = path.split('.');
  if (steps.length > MOST_STEPS) {
    throw Refusal.invalid(`You cannot expand more than ${MOST_STEPS} levels of a property. Property: ${path}`);
  }
  follow(root, steps);

  function follow(target: Values, [name, ...rest]: string[]): void {
    if (name === undefined) return;
    if (name === 'data') return (target.data as Values[]).forEach((element) => follow(element, rest));
    // The one member that a coupon has only when it is asked for.
    if (target.object === 'coupon' && name === 'applies_to') {
      const products = world.productsOfCoupons.get(target.id as string);
      if (products) target.applies_to = { products };
      return;
    }
    const value = target[name];
    if (value === null) return;
    target[name] = Array.isArray(value) ? value.map((one) => expanded(one, name, rest)) : expanded(value, name, rest);
  }

  function expanded(value: unknown, name: string, rest: string[]): Values {
    const found = typeof value === 'string' ? world.find(value) : (value as object | undefined);
    if (!found) throw Refusal.invalid(`This property cannot be expanded (${name}).`, `expand: ${path}`);
    const object = typeof value === 'string' ? render(found) : (found as Values);
    follow(object, rest);
    return object;
  }
}
