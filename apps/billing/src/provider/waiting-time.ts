/** The rest of a request has its time too, before nobody waits for it any more. */
const WAITED_MS = 4_000;

/** No answer in the time that was left. The call goes on without the one who waited. */
export class NotInTime extends Error {}

/**
 * How long one request waits for the provider, however many calls it makes: each gets what those before have left.
 * Monotonic, so that a changed wall clock neither shortens nor lengthens it.
 */
export class WaitingTime {
  private readonly endsAt = performance.now() + WAITED_MS;

  get isOver(): boolean {
    return this.leftMs <= 0;
  }

  /** Too little is left to tell a provider that is slow from one that is down. */
  get isShort(): boolean {
    return this.leftMs < WAITED_MS / 2;
  }

  /** @throws NotInTime */
  async within<Result>(call: Promise<Result>): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new NotInTime()), Math.max(0, this.leftMs));
    });
    try {
      return await Promise.race([call, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private get leftMs(): number {
    return this.endsAt - performance.now();
  }
}
