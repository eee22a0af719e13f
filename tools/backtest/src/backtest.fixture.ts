import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backtest } from './figures/backtest';
import { run } from './run';

/** The present of all tests. */
export const NOW = Date.UTC(2026, 10, 20, 12);

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The command line in a folder of its own. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'backtest-'));
  readonly progress: string[] = [];

  file(name: string, content: string | Uint8Array): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  async run(...args: string[]): Promise<Ended> {
    const said = { out: '', err: '' };
    const code = await run(args, NOW, {
      out: (text) => void (said.out += text),
      err: (text) => void (said.err += text),
      progress: (doing) => void this.progress.push(doing),
    });
    return { code, ...said };
  }

  /** The output of `--json` for a file with this content. */
  async backtest(content: string | Uint8Array, ...options: string[]): Promise<Backtest> {
    const { out, err } = await this.run(this.file('given', content), '--json', ...options);
    if (out === '') throw new Error(err);
    return JSON.parse(out) as Backtest;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
