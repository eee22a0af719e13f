import createClient, { type Client } from 'openapi-fetch';
import { CheckedAnswers, KnownKeys } from './checked-answers';
import type { paths } from './generated/agent-gateway';
import type { Fetch } from './paying-fetch';
import type { ReceiptVerdict } from './receipts/check-receipt';

export interface ClientOptions {
  /** Where the service is: scheme, host and port. */
  baseUrl: string;
  /** Sends the requests; one of `payingFetch` pays for them, the default does not. */
  fetch?: Fetch;
}

/** Calls by path and method, with the types of the service's OpenAPI document. */
export interface EvenkeelClient extends Client<paths> {
  /**
   * Whether the receipt of an answer was signed by the seller and is about this very request and answer.
   * @param response as a call has returned it
   * @returns null when the answer has no receipt
   * @throws Error when the keys of the seller cannot be had
   */
  verdictOn(response: Response): Promise<ReceiptVerdict | null>;
}

export function evenkeelClient({ baseUrl, fetch = globalThis.fetch }: ClientOptions): EvenkeelClient {
  const answers = new CheckedAnswers(new KnownKeys(baseUrl));
  const client = createClient<paths>({ baseUrl, fetch });
  client.use(answers.middleware);
  return { ...client, verdictOn: (response) => answers.verdictOn(response) };
}
