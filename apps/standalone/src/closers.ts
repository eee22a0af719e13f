/** Closes all that was opened, in the opposite order; one that fails does not keep the others open. */
export class Closers {
  private readonly all: (() => Promise<unknown>)[] = [];

  add(close: () => Promise<unknown>): void {
    this.all.push(close);
  }

  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.all.pop(); close; close = this.all.pop()) {
      await close().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw new AggregateError(failures, 'not everything could be closed');
  }
}
