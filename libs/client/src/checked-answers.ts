import type { Middleware } from 'openapi-fetch';
import type { KnownKeys } from './known-keys';
import { checkReceipt, type ReceiptVerdict } from './receipts/check-receipt';

export const RECEIPT_HEADER = 'X-Evenkeel-Receipt';

interface Kept {
  receipt: string;
  request: { method: string; path: string; body: unknown };
  answer: Uint8Array<ArrayBuffer>;
}

/** Keeps what a receipt speaks of, since request and answer can be read only once. */
export class CheckedAnswers {
  private readonly bodies = new Map<string, unknown>();
  private readonly kept = new WeakMap<Response, Kept>();

  constructor(private readonly keys: KnownKeys) {}

  readonly middleware: Middleware = {
    onRequest: async ({ request, id }) => {
      if (request.method === 'POST') this.bodies.set(id, parsed(await request.clone().text()));
    },
    onResponse: async ({ request, response, id }) => {
      const body = this.bodies.get(id);
      this.bodies.delete(id);
      const receipt = response.headers.get(RECEIPT_HEADER);
      if (receipt === null) return;
      const answer = new Uint8Array(await response.clone().arrayBuffer());
      const { pathname: path } = new URL(request.url);
      this.kept.set(response, { receipt, request: { method: request.method, path, body }, answer });
    },
    onError: ({ id }) => void this.bodies.delete(id),
  };

  /** Null for an answer without a receipt. */
  async verdictOn(response: Response): Promise<ReceiptVerdict | null> {
    const kept = this.kept.get(response);
    if (!kept) return null;
    const { receipt, request, answer } = kept;
    return checkReceipt(receipt, await this.keys.for(receipt), { request, answer });
  }
}

/** What is no JSON is refused by the seller, and gets no receipt. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
