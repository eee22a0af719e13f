/** A JWK Set (RFC 7517): keys that can be used are those of P-256 with a name. */
export interface ReceiptKeys {
  keys: readonly (JsonWebKey & { kid?: string })[];
}

const PATH = '/.well-known/receipt-jwks.json';
const TIMEOUT_MS = 10_000;

export function receiptKeysUrl(sellerUrl: string): string {
  return new URL(PATH, sellerUrl).href;
}

/**
 * @param url of the set, or of a seller with `receiptKeysUrl`
 * @throws Error when it cannot be had, or is no key set
 */
export async function fetchReceiptKeys(url: string): Promise<ReceiptKeys> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url} answers ${response.status}.`);
  return readReceiptKeys(await response.text());
}

/** @throws Error when the text is no key set */
export function readReceiptKeys(text: string): ReceiptKeys {
  const set = parsed(text) as Partial<ReceiptKeys> | null;
  const isSet = typeof set === 'object' && Array.isArray(set?.keys) && set.keys.every((key) => Object(key) === key);
  if (!isSet) throw new Error('There is no JSON Web Key Set there.');
  return set as ReceiptKeys;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
