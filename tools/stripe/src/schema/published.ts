/** The version of the API that these schemas describe and that the client of this workspace pins. */
export const API_VERSION = '2026-08-26.dahlia';

export type Schema = Record<string, unknown>;

/** A call, without the words that explain it. */
export interface Operation {
  /** Parameters of the query. */
  query: Record<string, Schema>;
  /** Schema of the form; null when none is sent. */
  form: Schema | null;
  answer: Schema;
}

/** The parts of Stripe's OpenAPI description that are in use. */
export interface Published {
  apiVersion: string;
  source: string;
  /** By our route: `POST /v1/subscriptions/:id`. */
  operations: Record<string, Operation>;
  schemas: Record<string, Schema>;
}

/** Where they lie, from the folder of this package. */
export const PUBLISHED_FILE = 'openapi/stripe.json';
