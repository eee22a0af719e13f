import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backtest } from './figures/backtest';
import { run } from './run';

/** The command line in a folder of its own, on 20 November 2026. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'backtest-'));

  file(name: string, content: string | Uint8Array): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  async run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    let [out, err] = ['', ''];
    const streams = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
    const code = await run(args, Date.UTC(2026, 10, 20, 12), streams);
    return { code, out, err };
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
