import { chooseTarget, type FileProgress, saveBody } from './file-saving';
import type { FileName } from './page-settings';

/** The files that are being saved: one of each kind at a time. */
export class FileSaves {
  private readonly stops = new Map<FileName, AbortController>();

  constructor(private readonly tell: (name: FileName, progress: FileProgress) => void) {}

  /** @param ask for the rows, once it is known where they go */
  save(name: FileName, fileName: string, ask: (signal: AbortSignal) => Promise<Response>): void {
    this.stop(name);
    const stop = new AbortController();
    this.stops.set(name, stop);
    // Where to is asked for at once: browsers allow it for a press alone.
    void chooseTarget(fileName).then((target) => {
      const tell = (progress: FileProgress): void => this.tell(name, progress);
      if (target) void saveBody(() => ask(stop.signal), target, tell, stop.signal);
    });
  }

  stop(name: FileName): void {
    this.stops.get(name)?.abort();
  }

  stopAll(): void {
    for (const name of this.stops.keys()) this.stop(name);
  }
}
