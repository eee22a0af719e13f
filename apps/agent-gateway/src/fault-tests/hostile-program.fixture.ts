import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from '@evenkeel/platform/testing';
import { END_WITH_PARENT, programArguments } from '@evenkeel/services/programs';

const ROOT = join(__dirname, '../../../..');
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 15_000;

/** Loaded into the program: answers each message with the bytes in use after a garbage collection. */
const TELL_MEMORY = `data:text/javascript,${encodeURIComponent(`
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  process.on('message', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    // The second run frees what the first one finalized.
    collect();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    process.send(heapUsed + external);
  });
  process.channel.unref();
`)}`;

/** A program of the workspace in its own process, which reports its memory. */
export class HostileProgram {
  private output = '';
  private readonly child: ChildProcess;
  private readonly exit: Promise<unknown>;
  private isEnded = false;

  private constructor(entry: string, env: NodeJS.ProcessEnv) {
    const { PATH, HOME, TMPDIR } = process.env;
    const preload = ['--require', END_WITH_PARENT, '--import', TELL_MEMORY];
    this.child = spawn(process.execPath, [...preload, ...programArguments(entry)], {
      cwd: ROOT,
      env: { PATH, HOME, TMPDIR, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => this.append(text));
    }
    this.exit = once(this.child, 'close').then(() => (this.isEnded = true));
  }

  /** @param entry file of the program, from the root folder */
  static async start(entry: string, env: NodeJS.ProcessEnv): Promise<{ program: HostileProgram; url: string }> {
    const program = new HostileProgram(entry, env);
    const ready = () => /^\{"ready":\s*true.*\}$/m.exec(program.output) ?? program.isEnded;
    const line = await eventually(ready, { withinMs: START_LIMIT_MS }).catch(() => true);
    if (typeof line !== 'boolean') return { program, url: (JSON.parse(line[0]) as { url: string }).url };
    await program.stop();
    throw new Error(`${entry} never reported that it is ready. Its output:\n${program.output}`);
  }

  async memoryBytes(): Promise<number> {
    this.child.send('memory');
    const [bytes] = (await once(this.child, 'message')) as [number];
    return bytes;
  }

  async stop(): Promise<void> {
    const forced = setTimeout(() => this.child.kill('SIGKILL'), STOP_LIMIT_MS);
    this.child.kill('SIGTERM');
    await this.exit;
    clearTimeout(forced);
  }

  /** Stores only the latest output: a long run logs every refusal. */
  private append(text: string): void {
    this.output = (this.output + text).slice(-20_000);
  }
}
