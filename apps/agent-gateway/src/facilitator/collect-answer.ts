import type { Dispatcher } from 'undici';

/** What one attempt at a call came to; `body` is undefined when the answer is not JSON. */
export type Attempt =
  { kind: 'answer'; status: number; body: unknown } | { kind: 'failure'; cause: string; answerBegan: boolean };

/**
 * Sends a request and gathers its answer. Never rejects. Undici's own `request` makes a stream and listens to an abort
 * signal for each call, which nobody needs here and costs as much as the rest of the call together.
 * @param timeoutMs for everything, connecting included
 */
export function collectAnswer(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  timeoutMs: number,
): Promise<Attempt> {
  return new Promise((resolve) => {
    dispatcher.dispatch(request, new Collector(resolve, timeoutMs));
  });
}

class Collector implements Dispatcher.DispatchHandler {
  private readonly timer: NodeJS.Timeout;
  private controller?: Dispatcher.DispatchController;
  private readonly chunks: Buffer[] = [];
  private status?: number;
  private timedOut = false;

  constructor(
    private readonly resolve: (attempt: Attempt) => void,
    timeoutMs: number,
  ) {
    this.timer = setTimeout(() => this.giveUp(timeoutMs), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // It waited for a connection until nobody waited for it.
    if (this.timedOut) controller.abort(new Error('too late'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    clearTimeout(this.timer);
    const text = (this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks)).toString();
    this.resolve({ kind: 'answer', status: this.status!, body: parsed(text) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    this.fail(error.code ?? 'connection failed');
  }

  private giveUp(timeoutMs: number): void {
    this.timedOut = true;
    this.fail(`no answer in ${timeoutMs} ms`);
    this.controller?.abort(new Error('too late'));
  }

  private fail(cause: string): void {
    clearTimeout(this.timer);
    this.resolve({ kind: 'failure', cause, answerBegan: this.status !== undefined });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
