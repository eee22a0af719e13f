import { setImmediate as nextTurn } from 'node:timers/promises';

/** A statement by keys takes about one. One that hangs is not waited for any longer: the next is sent beside it. */
const PATIENCE_MS = 20;

/** So many are sent at once where a statement may run, before the process reads the next request: PostgreSQL works beside it. */
const ENOUGH = 8;

/**
 * Turns concurrent reads by key into few statements: those of successive turns of the event loop become one, and while two run
 * the next ones gather. With one at a time the process would sleep until its answer comes, although callers have asked more.
 * A read is always sent after it was asked for: what it finds is no older than the question. What one statement found for a
 * key is shared by all who asked for it, so nobody may change it.
 */
export class BatchedReads<Found> {
  private gathering: Batch<Found> | null = null;
  /** The last two statements: a statement waits for the one before the last. */
  private readonly running: (Running | undefined)[] = [undefined, undefined];

  /**
   * @param read one statement; keys without anything are missing in its answer, and all of its readers get its error
   * @param patienceMs longest wait for another statement: then it counts as one that hangs
   */
  constructor(
    private readonly read: (keys: string[]) => Promise<ReadonlyMap<string, Found>>,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /**
   * @param keys read by the same statement
   * @returns in their order; undefined where there is nothing
   */
  find(...keys: string[]): Promise<(Found | undefined)[]> {
    const batch = (this.gathering ??= this.begin());
    for (const key of keys) batch.keys.add(key);
    if (++batch.reads === ENOUGH) batch.isEnough();
    return batch.found.then((found) => keys.map((key) => found.get(key)));
  }

  private begin(): Batch<Found> {
    let isEnough!: () => void;
    const enough = new Promise<void>((resolve) => (isEnough = resolve));
    const gathered = { keys: new Set<string>(), reads: 0, enough, isEnough };
    return Object.assign(gathered, { found: this.send(gathered) });
  }

  private async send(gathered: Gathered): Promise<ReadonlyMap<string, Found>> {
    const before = this.running.shift();
    if (before?.isRunning) await endedWithin(before.end, this.patienceMs);
    await Promise.race([gathered.enough, quietTurn(gathered)]);
    this.gathering = null;
    const reading = this.read([...gathered.keys]);
    this.running.push(runningUntil(reading));
    return reading;
  }
}

interface Gathered {
  keys: Set<string>;
  reads: number;
  enough: Promise<void>;
  isEnough: () => void;
}

interface Batch<Found> extends Gathered {
  found: Promise<ReadonlyMap<string, Found>>;
}

interface Running {
  isRunning: boolean;
  end: Promise<void>;
}

/** Until a turn of the event loop brings nothing more. */
async function quietTurn(gathered: Gathered): Promise<void> {
  for (let known = -1; gathered.reads > known;) {
    known = gathered.reads;
    await nextTurn();
  }
}

/** Until the work has ended in any way. */
function runningUntil(work: Promise<unknown>): Running {
  const ended = () => void (running.isRunning = false);
  const running = { isRunning: true, end: work.then(ended, ended) };
  return running;
}

/** Resolves at the end, and at the latest after this time. */
function endedWithin(end: Promise<void>, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const patience = setTimeout(resolve, withinMs);
    void end.then(() => {
      clearTimeout(patience);
      resolve();
    });
  });
}
