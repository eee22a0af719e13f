import type { DevelopmentStripe } from '../development-stripe';

/** A command that cannot be followed; the message says why. */
export class BadCommand extends Error {}

/** What `POST /control` may do: methods of the development Stripe, by their names. */
const METHODS = [
  ...['advance', 'closeDispute', 'deleteCustomer', 'deliverHeldBack', 'delivered', 'discount', 'dispute'],
  ...['failRefund', 'mode'],
  ...['pause', 'pauseCollection', 'pay', 'payInvoice', 'refund', 'resume', 'resumeCollection', 'sendTo', 'setCard'],
  'settleDelayed',
] as const;

/**
 * Follows `{"method": "pay", "args": ["cs_test_…", "good"]}`. A time is text.
 * @returns what the method returns
 * @throws BadCommand
 */
export async function control(stripe: DevelopmentStripe, command: unknown): Promise<unknown> {
  const { method, args = [] } = (command ?? {}) as { method?: unknown; args?: unknown };
  const known = METHODS.find((name) => name === method);
  if (known === undefined) throw new BadCommand(`method must be one of ${METHODS.join(', ')}`);
  if (!Array.isArray(args)) throw new BadCommand('args must be a list');
  const given = (args as unknown[]).map((arg) => (known === 'advance' ? instantOf(arg) : arg));
  return (stripe as unknown as Record<string, (...given: unknown[]) => unknown>)[known]!(...given);
}

function instantOf(text: unknown): Date {
  const at = new Date(String(text));
  if (Number.isNaN(at.getTime())) throw new BadCommand('advance takes a time such as 2026-01-31T12:00:00Z');
  return at;
}
