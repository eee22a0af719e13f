/** The query that shows what breaks one promise, as far as one database can say. */
export interface PromiseCheck {
  /** Name of the promise, as in the reliability document: `P1` to `P10`. */
  promise: string;
  /** Views of schema `audit` that it reads, with the columns that tell a service's own from another's. */
  reads: Readonly<Record<string, readonly string[]>>;
  /** Selects `what` and `row`, one of each for what should not be. */
  sql: string;
}
