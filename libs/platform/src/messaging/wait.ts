/**
 * The signal of one wait, which ends with a longer one. Not by `AbortSignal.any`: a signal that lives as long as the
 * process remembers for ever each one that was made of it.
 */
export class Wait implements Disposable {
  private readonly controller = new AbortController();
  readonly signal = this.controller.signal;

  constructor(private readonly longer: AbortSignal) {
    if (longer.aborted) this.end();
    longer.addEventListener('abort', this.end);
  }

  readonly end = (): void => this.controller.abort();

  [Symbol.dispose](): void {
    this.end();
    this.longer.removeEventListener('abort', this.end);
  }
}
