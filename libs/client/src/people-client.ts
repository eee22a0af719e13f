import createClient, { type Client } from 'openapi-fetch';
import type { paths as AccountsPaths } from './generated/accounts';
import type { paths as BillingPaths } from './generated/billing';
import type { Fetch } from './paying-fetch';

export interface PeopleClientOptions {
  /** Where the service is: scheme, host and port. */
  baseUrl: string;
  /** The access token of the person, asked for on every call; null while nobody is signed in. */
  accessToken: () => string | null;
  fetch?: Fetch;
}

/** All routes of people: accounts and billing. */
type PeoplePaths = AccountsPaths & BillingPaths;

/** Calls of people's routes by path and method, with the types of the OpenAPI documents. */
export type PeopleClient = Client<PeoplePaths>;

export function peopleClient({ baseUrl, accessToken, fetch = globalThis.fetch }: PeopleClientOptions): PeopleClient {
  const client = createClient<PeoplePaths>({ baseUrl, fetch });
  client.use({
    onRequest: ({ request }) => {
      const token = accessToken();
      if (token !== null) request.headers.set('authorization', `Bearer ${token}`);
      return request;
    },
  });
  return client;
}
