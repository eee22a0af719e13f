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

/** Of something that could not be compared, and is reported so that the rest is not lost with it. */
export function notCompared(subject: string, error: unknown): Difference {
  return { kind: 'not_compared', subject, detail: error instanceof Error ? error.message : String(error) };
}

/** Whether everything was looked at. */
export function isWhole({ differences }: Report): boolean {
  return differences.every(({ kind }) => kind !== 'not_compared');
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
