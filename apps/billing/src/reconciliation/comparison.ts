import type { Stripe } from 'stripe' with { 'resolution-mode': 'import' };
import { textAt, type ProviderObject } from '../provider/members';
import type { StripeApi } from '../provider/stripe-api';
import type { Corrected, Difference } from './difference';

const PAGE = 100;

interface Page {
  limit: number;
  starting_after?: string;
}

/** A list of the provider, page by page. */
export type List = (stripe: Stripe, page: Page) => Promise<Stripe.Response<Stripe.ApiList<{ id: string }>>>;

/** The objects of a list at the provider, the newest first, a page at a time. */
export async function* pagesOf(provider: StripeApi, list: List): AsyncGenerator<ProviderObject[]> {
  let after: string | undefined;
  for (;;) {
    const page: Page = { limit: PAGE, ...(after !== undefined && { starting_after: after }) };
    const { data, has_more } = (await provider.call((stripe) => list(stripe, page))).result;
    yield data as unknown[] as ProviderObject[];
    after = data.at(-1)?.id;
    if (!has_more || after === undefined) return;
  }
}

/** As the provider counts time. */
export function secondsOf(instant: Date): number {
  return Math.floor(instant.getTime() / 1_000);
}

/** Seeming differences, as far as a list was read. */
export interface Suspects {
  compared: number;
  ids: string[];
}

/** Objects of one kind, here and there. */
export abstract class Comparison<Ours extends { id: string } = { id: string }> {
  abstract readonly name: 'subscriptions' | 'customers' | 'invoices';
  protected abstract readonly provider: StripeApi;

  /** Looks at one again, here and there, and corrects what can be. @returns null when all is well */
  abstract check(id: string): Promise<Difference | Corrected | null>;

  protected abstract listOf(since: Date): List;
  protected abstract ours(ids: readonly string[]): Promise<Ours[]>;
  /** Ids of those of ours that the list of the provider should have. */
  protected abstract expected(since: Date): Promise<string[]>;
  /** Others may sell at the same account: only what is ours is compared. */
  protected abstract isOurs(ours: Ours | undefined, theirs: ProviderObject): Promise<boolean> | boolean;
  protected abstract seemsToDiffer(id: string, ours: Ours | undefined, theirs: ProviderObject): boolean;

  /** Adds what it finds page by page: what was found stays found when the list breaks off. */
  async suspects(since: Date, found: Suspects): Promise<void> {
    const seen = new Set<string>();
    for await (const page of pagesOf(this.provider, this.listOf(since))) {
      const theirs = new Map(page.map((object) => [textAt(object, 'id') ?? '', object]));
      const ours = new Map((await this.ours([...theirs.keys()])).map((row) => [row.id, row]));
      for (const [id, object] of theirs) {
        seen.add(id);
        if (!(await this.isOurs(ours.get(id), object))) continue;
        found.compared += 1;
        if (this.seemsToDiffer(id, ours.get(id), object)) found.ids.push(id);
      }
    }
    const alone = (await this.expected(since)).filter((id) => !seen.has(id));
    found.compared += alone.length;
    found.ids.push(...alone);
  }
}
