import type { DevelopmentStripe } from './development-stripe';

/** What `POST /control` may do: methods of the development Stripe, by their names. */
const METHODS = ['advance', 'deliverHeldBack', 'delivered', 'mode', 'pay', 'sendTo', 'setCard'] as const;

/**
 * Follows `{"method": "pay", "args": ["cs_test_…", "good"]}`. A time is text.
 * @returns what the method returns
 * @throws Error whose message says why the command cannot be followed
 */
export async function control(stripe: DevelopmentStripe, command: unknown): Promise<unknown> {
  const { method, args = [] } = (command ?? {}) as { method?: unknown; args?: unknown };
  const known = METHODS.find((name) => name === method);
  if (known === undefined) throw new Error(`method must be one of ${METHODS.join(', ')}`);
  if (!Array.isArray(args)) throw new Error('args must be a list');
  const given = (args as unknown[]).map((arg) => (known === 'advance' ? instantOf(arg) : arg));
  return (stripe as unknown as Record<string, (...given: unknown[]) => unknown>)[known]!(...given);
}

function instantOf(text: unknown): Date {
  const at = new Date(String(text));
  if (Number.isNaN(at.getTime())) throw new Error('advance takes a time such as 2026-01-31T12:00:00Z');
  return at;
}
