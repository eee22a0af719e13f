import type { Answer } from '../payments/answers';

/** A request that no handler should see: wrong address, method, size or form. */
export class HttpRefusal extends Error {
  constructor(
    private readonly status: number,
    private readonly code: string,
    message: string,
  ) {
    super(message);
  }

  get answer(): Answer {
    return { status: this.status, body: { error: this.code, message: this.message } };
  }
}
