import type { Middleware } from 'openapi-fetch';
import { readReceipt } from './receipts/read-receipt';
import { fetchReceiptKeys, receiptKeysUrl, type ReceiptKeys } from './receipts/receipt-keys';
import { checkReceipt, type ReceiptVerdict } from './receipts/check-receipt';

export const RECEIPT_HEADER = 'X-Evenkeel-Receipt';

interface PaidAnswer {
  receipt: string;
  request: { method: string; path: string; body: unknown };
  answer: Uint8Array<ArrayBuffer>;
}

/** Stores the request and the answer that a receipt is about, since they can be read only once. */
export class CheckedAnswers {
  private readonly bodies = new Map<string, unknown>();
  private readonly stored = new WeakMap<Response, PaidAnswer>();

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
      this.stored.set(response, { receipt, request: { method: request.method, path, body }, answer });
    },
    onError: ({ id }) => void this.bodies.delete(id),
  };

  /** Null for an answer without a receipt. */
  async verdictOn(response: Response): Promise<ReceiptVerdict | null> {
    const stored = this.stored.get(response);
    if (!stored) return null;
    const { receipt, request, answer } = stored;
    return checkReceipt(receipt, await this.keys.for(receipt), { request, answer });
  }
}

/** The seller refuses a text that is no JSON, and gives no receipt for it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The keys of one seller: fetched when a receipt comes, and once more when one names a key that is new. */
export class KnownKeys {
  private known?: Promise<ReceiptKeys>;

  constructor(private readonly sellerUrl: string) {}

  async for(receipt: string): Promise<ReceiptKeys> {
    const kid = readReceipt(receipt)?.kid;
    this.known ??= this.load();
    const keys = await this.known;
    if (kid === undefined || keys.keys.some((key) => key.kid === kid)) return keys;
    this.known = this.load();
    return this.known;
  }

  private load(): Promise<ReceiptKeys> {
    // Not with the fetch of the calls, which would pay a seller who asks money for the keys.
    const loading = fetchReceiptKeys(receiptKeysUrl(this.sellerUrl));
    // A failure is not stored: the next receipt tries again.
    loading.catch(() => (this.known = undefined));
    return loading;
  }
}
