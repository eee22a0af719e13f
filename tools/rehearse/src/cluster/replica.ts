import type { AppName } from '@evenkeel/contracts';
import { Program, type Exit } from '@evenkeel/services/programs';

/** Sixteen of them start, on as few as two cores. */
const START_LIMIT_MS = 180_000;

/** One process of a service, which can be ended and started again. */
export class Replica {
  private program?: Program;
  private isReady = false;

  constructor(
    readonly app: AppName,
    readonly kind: 'http' | 'worker',
    /** Of the file of its output, and in messages: `accounts-1`. */
    readonly name: string,
    /** Of health and metrics. */
    readonly internalUrl: string,
    private readonly launch: () => Program,
  ) {}

  /** Of the process that runs and has said that it is ready. */
  get readyPid(): number | undefined {
    return this.isReady && this.program?.isRunning ? this.program.pid : undefined;
  }

  /** Resolves when it says that it is ready. @throws Error with its output when it does not */
  async start(): Promise<void> {
    this.program = this.launch();
    await this.program.ready(START_LIMIT_MS).catch(async (cause: Error) => {
      await this.stop('SIGKILL');
      throw new Error(`${this.name} did not start. ${cause.message.slice(-2_000)}`, { cause });
    });
    this.isReady = true;
  }

  /** Asks it to end, and waits; by force after 15 s. @returns how it ended, with the milliseconds that it took */
  async stop(signal?: NodeJS.Signals): Promise<Exit & { ms: number }> {
    const begun = performance.now();
    this.isReady = false;
    const exit = (await this.program?.stop(signal)) ?? { code: 0, signal: null };
    return { ...exit, ms: Math.round(performance.now() - begun) };
  }
}
