import { Refusal } from './call';

/** A form or a query as a tree: `items[0][price]=x` lies under `items`, `0`, `price`. */
interface Tree {
  [name: string]: unknown;
}

/** In a form everything is text: these names are of numbers and of booleans. */
const NUMBERS = ['limit', 'created', 'gt', 'gte', 'lt', 'lte', 'quantity', 'trial_period_days', 'cancel_at'];
const BOOLEANS = ['cancel_at_period_end', 'invoice_now', 'prorate'];

/**
 * Parameters of a call.
 * @param known paths that this Stripe reads, `subscription_data.metadata` with all that is in it: any other is refused, so
 *   that nothing is ignored silently
 * @throws Refusal
 */
export function readParameters(known: readonly string[], text: { query: string; body: string }): Tree {
  const tree: Tree = {};
  // The client writes the form of a DELETE into the query.
  for (const [name, value] of [...new URLSearchParams(text.query), ...new URLSearchParams(text.body)]) {
    const [first = '', ...inner] = name.split('[').map((part) => part.replace(/\]$/, ''));
    const steps = [first, ...inner];
    const path = steps.filter((step) => !/^\d*$/.test(step)).join('.');
    if (!known.some((one) => path === one || path.startsWith(`${one}.`))) {
      throw Refusal.invalid(`The development Stripe does not read ${name}`, name, 'parameter_unknown');
    }
    set(tree, steps, typed(path, steps.at(-1)!, value));
  }
  return tree;
}

/** A step that is a number, or empty, is of a list. */
function set(tree: Tree, [step, next, ...rest]: string[], value: unknown): void {
  const key = step === '' ? String((tree as unknown as unknown[]).length) : step!;
  if (next === undefined) tree[key] = value;
  else set((tree[key] ??= /^\d*$/.test(next) ? [] : {}) as Tree, [next, ...rest], value);
}

function typed(path: string, name: string, value: string): unknown {
  if (path.includes('metadata') || value === '') return value;
  if (BOOLEANS.includes(name)) return value === 'true';
  if (!NUMBERS.includes(name)) return value;
  if (!/^\d+$/.test(value)) throw Refusal.invalid(`Invalid integer: ${value}`, path, 'parameter_invalid');
  return Number(value);
}
