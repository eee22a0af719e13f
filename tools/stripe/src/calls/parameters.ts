import { Refusal } from './call';

/** A form or a query as a tree: `items[0][price]=x` lies under `items`, `0`, `price`. */
interface Tree {
  [name: string]: unknown;
}

/**
 * Parameters of a call.
 * @param known names that it reads, beside `expand`
 * @throws Refusal
 */
export function readParameters(known: readonly string[], text: { query: string; body: string }): Tree {
  const tree: Tree = {};
  // The client writes the form of a DELETE into the query.
  for (const [name, value] of [...new URLSearchParams(text.query), ...new URLSearchParams(text.body)]) {
    const steps = name.split('[').map((part) => part.replace(/\]$/, ''));
    if (steps[0] !== 'expand' && !known.includes(steps[0]!)) {
      const named = { param: name, code: 'parameter_unknown' };
      throw Refusal.invalid(`The development Stripe does not read ${name}`, named);
    }
    set(tree, steps, steps.includes('metadata') ? value : typed(value));
  }
  return tree;
}

/** A step that is a number, or empty, is of a list. */
function set(tree: Tree, [step, next, ...rest]: string[], value: unknown): void {
  const key = step === '' ? String((tree as unknown as unknown[]).length) : step!;
  if (next === undefined) tree[key] = value;
  else set((tree[key] ??= /^\d*$/.test(next) ? [] : {}) as Tree, [next, ...rest], value);
}

/** In a form everything is text. */
function typed(value: string): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  return /^\d+$/.test(value) ? Number(value) : value;
}
