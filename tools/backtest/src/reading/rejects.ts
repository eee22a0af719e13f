export interface Reject {
  /** `line 12`, or the place in a database or a JSON document. */
  readonly where: string;
  readonly reason: string;
}

const KEPT = 1_000;

/** What of a file could not be used, in the order of the file. */
export class Rejects {
  count = 0;
  /** The first ones: a file may have a million mistakes. */
  readonly first: Reject[] = [];

  add(where: string, reason: string): void {
    if (this.count++ < KEPT) this.first.push({ where, reason });
  }
}
