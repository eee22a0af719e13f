import type { World } from '../world/world';
import { Refusal } from './refusal';

type Values = Record<string, unknown>;

const MOST_STEPS = 4;

/** Finds what an id stands for. */
export class Expansion {
  constructor(
    private readonly world: World,
    private readonly render: (object: object) => Values,
  ) {}

  /**
   * Replaces ids along a path such as `data.latest_invoice.payments` by the objects themselves.
   * @throws Refusal for what cannot be expanded, and for more than four steps
   */
  expand(root: Values, path: string): void {
    const steps = path.split('.');
    if (steps.length > MOST_STEPS) {
      throw Refusal.invalid(`You cannot expand more than ${MOST_STEPS} levels of a property. Property: ${path}`);
    }
    this.follow(root, steps, path);
  }

  private follow(target: Values, [name, ...rest]: string[], path: string): void {
    if (name === undefined) return;
    if (name === 'data' && Array.isArray(target.data)) {
      for (const element of target.data as Values[]) this.follow(element, rest, path);
      return;
    }
    const value = name in target ? target[name] : this.included(target, name);
    if (value === undefined && target.object === 'coupon' && name === 'applies_to') return;
    if (value === undefined) {
      throw Refusal.invalid(`This property cannot be expanded (${name}).`, `expand: ${path}`);
    }
    if (value === null) return;
    const expanded = (one: unknown): Values => {
      const object = typeof one === 'string' ? this.object(one) : (one as Values);
      if (!object) throw Refusal.invalid(`This property cannot be expanded (${name}).`, `expand: ${path}`);
      this.follow(object, rest, path);
      return object;
    };
    target[name] = Array.isArray(value) ? value.map(expanded) : expanded(value);
  }

  /** Lists that an object has only when they are asked for. */
  private included(target: Values, name: string): Values | undefined {
    const { world } = this;
    const id = target.id as string;
    if (target.object === 'invoice' && name === 'payments') {
      return this.list(
        [...world.invoicePayments.values()].filter(({ invoice }) => invoice === id),
        '/v1/invoice_payments',
      );
    }
    if (target.object === 'coupon' && name === 'applies_to') {
      const products = world.productsOfCoupons.get(id);
      return products && { products };
    }
    if (target.object === 'checkout.session' && name === 'line_items') {
      return this.list(world.lineItems.get(id)!, `/v1/checkout/sessions/${id}/line_items`);
    }
    if (target.object === 'charge' && name === 'refunds') {
      return this.list(
        [...world.refunds.values()].filter(({ charge }) => charge === id),
        `/v1/charges/${id}/refunds`,
      );
    }
    if (target.object === 'customer' && name === 'subscriptions') {
      const own = [...world.subscriptions.values()].filter(
        ({ customer, status }) => customer === id && status !== 'canceled',
      );
      return this.list(own, `/v1/customers/${id}/subscriptions`);
    }
    return undefined;
  }

  private list(objects: object[], url: string): Values {
    return { object: 'list', data: objects.map((object) => this.render(object)), has_more: false, url };
  }

  private object(id: string): Values | undefined {
    const { world } = this;
    if (world.deletedCustomers.has(id)) return { id, object: 'customer', deleted: true };
    for (const table of world.tables) {
      const object = table.get(id);
      if (object) return this.render(object);
    }
    return undefined;
  }
}
