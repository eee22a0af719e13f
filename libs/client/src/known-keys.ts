import { readReceipt } from './receipts/read-receipt';
import { fetchReceiptKeys, receiptKeysUrl, type ReceiptKeys } from './receipts/receipt-keys';

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
    // Not with the fetch of the calls, which would pay a seller who asks money for his keys.
    const loading = fetchReceiptKeys(receiptKeysUrl(this.sellerUrl));
    // A failure is not kept: the next receipt tries again.
    loading.catch(() => (this.known = undefined));
    return loading;
  }
}
