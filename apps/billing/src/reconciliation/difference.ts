import type { Stripe } from 'stripe' with { 'resolution-mode': 'import' };
import type { ProviderObject } from '../provider/members';
import type { StripeApi } from '../provider/stripe-api';

/** Differences between billing and the provider, or here alone; docs/operations/subscriptions.md has the remedies. */
export const DIFFERENCE_KINDS = [
  'subscription_ours_only',
  'subscription_theirs_only',
  'subscription_differs',
  'customer_ours_only',
  'customer_theirs_only',
  'customer_differs',
  'invoice_ours_only',
  'invoice_theirs_only',
  'invoice_differs',
  'invoice_currency',
  'price',
  'event_unlinked',
  'double_subscription',
  'departure_waiting',
  'not_compared',
] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** Something that a person has to look at. */
export interface Difference {
  kind: DifferenceKind;
  /** The id of what differs; of a price the code of its plan. */
  subject: string;
  /** Nothing in it names a person. */
  detail: string;
}

/** Something that differed, and is as the provider says now. */
export interface Corrected {
  kind: 'subscription' | 'invoice';
  subject: string;
  detail: string;
}

/** An event that the webhook had not brought, and that was applied. */
export interface UndeliveredEvent {
  id: string;
  type: string;
  created: Date;
}

export interface Report {
  since: Date;
  /** How many of each were looked at. */
  compared: Readonly<Record<'subscriptions' | 'customers' | 'invoices' | 'prices', number>>;
  undelivered: readonly UndeliveredEvent[];
  corrected: readonly Corrected[];
  /** With one of the kind `not_compared` for whatever could not be looked at. */
  differences: readonly Difference[];
}

/** Seeming differences, as far as a list was read. */
export interface Suspects {
  compared: number;
  ids: string[];
}

/** Objects of one kind, here and there. */
export interface Comparison {
  readonly name: 'subscriptions' | 'customers' | 'invoices';
  /** Adds what it finds page by page: what was found stays found when the list breaks off. */
  suspects(since: Date, found: Suspects): Promise<void>;
  /** Looks at one again, here and there, and corrects what can be. @returns null when all is well */
  check(id: string): Promise<Difference | Corrected | null>;
}

/** Of something that could not be compared, and is reported so that the rest is not lost with it. */
export function notCompared(subject: string, error: unknown): Difference {
  return { kind: 'not_compared', subject, detail: error instanceof Error ? error.message : String(error) };
}

/** Whether everything was looked at. */
export function isWhole({ differences }: Report): boolean {
  return differences.every(({ kind }) => kind !== 'not_compared');
}

/** `a: 1 here, 2 there` for each member that differs; empty when none does. */
export function differing(ours: object, theirs: object): string {
  const members = Object.entries(theirs).flatMap(([name, there]: [string, unknown]) => {
    const here = (ours as Record<string, unknown>)[name];
    return here === there ? [] : [`${name}: ${String(here)} here, ${String(there)} there`];
  });
  return members.join('; ');
}

/** The report as text for an operator: a line for each thing. */
export function reportText({ since, compared, undelivered, corrected, differences }: Report): string {
  const counts = Object.entries(compared).map(([name, count]) => `${count} ${name}`);
  const lines = [
    ...undelivered.map(
      ({ id, type, created }) => `event_undelivered  ${id}  ${type} of ${created.toISOString()}, applied`,
    ),
    ...corrected.map(({ kind, subject, detail }) => `${kind}_corrected  ${subject}  ${detail}`),
    ...differences.map(({ kind, subject, detail }) => `${kind}  ${subject}  ${detail}`),
    `Compared since ${since.toISOString()}: ${counts.join(', ')}.`,
    differences.length === 0
      ? 'Everything agrees.'
      : `${differences.length} to look at: docs/operations/subscriptions.md says what to do about each.`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

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

/** As the provider counts time. */
export function secondsOf(instant: Date): number {
  return Math.floor(instant.getTime() / 1_000);
}
