import { RateLimited } from '@evenkeel/platform/http';

/** Nobody waits longer for a turn to begin. */
const LONGEST_WAIT_MS = 5_000;

/** Lets a few work at a time, each person once: a person who sends many files, or takes them slowly, keeps no other out. */
export class Turns {
  private running = 0;
  private readonly people = new Set<string>();
  private readonly queue = new Set<() => void>();

  /** @param most so many run in this process, and so many wait beside them; any further one is refused */
  constructor(private readonly most: Readonly<Record<'running' | 'waiting', number>>) {}

  /**
   * @returns what ends the turn
   * @throws RateLimited when the person has one already, or too many are before them
   */
  async take(userId: string, signal: AbortSignal): Promise<() => void> {
    if (this.people.has(userId)) throw new RateLimited({ scope: 'concurrency' });
    this.people.add(userId);
    try {
      await this.begin(signal);
    } catch (error) {
      this.people.delete(userId);
      throw error;
    }
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.people.delete(userId);
      const [next] = this.queue;
      if (next) next();
      else this.running--;
    };
  }

  /** The turn of one that ends passes to the first that waits. */
  private async begin(signal: AbortSignal): Promise<void> {
    if (this.running < this.most.running) {
      this.running++;
      return;
    }
    if (this.queue.size >= this.most.waiting) throw new RateLimited({ scope: 'concurrency' });
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.queue.delete(next);
        clearTimeout(timer);
        signal.removeEventListener('abort', give);
      };
      const give = (): void => {
        leave();
        reject(signal.aborted ? (signal.reason as Error) : new RateLimited({ scope: 'concurrency' }));
      };
      const next = (): void => {
        leave();
        resolve();
      };
      const timer = setTimeout(give, LONGEST_WAIT_MS);
      signal.addEventListener('abort', give);
      this.queue.add(next);
    });
  }
}
