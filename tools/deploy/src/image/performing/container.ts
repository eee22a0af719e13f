import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { ImageSettings } from './dockerfile';

/**
 * First process of the container: puts its file system together, all of it read-only but /tmp, and becomes the program.
 * $1 the root, $2 the folder of secrets or nothing, $3 the working directory, $4 user options of unshare, then the program.
 */
const ENTER = `
  set -e
  root="$1" secrets="$2" folder="$3" user="$4"
  shift 4
  mount --bind "$root" "$root"
  [ -z "$secrets" ] || mount --bind "$secrets" "$root/run/secrets"
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
  mount -t proc proc "$root/proc"
  for device in null urandom; do mount --bind "/dev/$device" "$root/dev/$device"; done
  [ -z "$secrets" ] || mount -o remount,bind,ro "$root/run/secrets"
  mount -o remount,bind,ro "$root"
  exec unshare $user --root="$root" --wd="$folder" "$@"`;

/** What an image with Node has beside what Node itself is linked with: native packages ask for it. */
const OF_THE_C_LIBRARY = ['libdl.so.2', 'libpthread.so.0', 'librt.so.1', 'libresolv.so.2', 'libutil.so.1'];
const LINES_SHOWN = 20;

/** What a container is started with. */
export interface Start {
  env?: Readonly<Record<string, string>>;
  /** In place of the command of the image. */
  command?: readonly string[];
  /** Folder at /run/secrets. */
  secrets?: string;
}

export class RunningContainer {
  readonly output: string[] = [];
  private readonly ended: Promise<number | null>;
  private readonly ready: Promise<Record<string, string>>;

  constructor(private readonly child: ChildProcessByStdio<null, Readable, Readable>) {
    this.ended = once(child, 'close').then(([code]) => code as number | null);
    this.ready = new Promise((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          this.output.push(line);
          if (line.startsWith('{"ready":true')) resolve(JSON.parse(line) as Record<string, string>);
        });
      }
      void this.ended.then((code) => reject(new Error(`it ended with ${code}: ${this.said}`)));
    });
    this.ready.catch(() => undefined);
  }

  /** The last that it wrote, without the frames of a stack. */
  get said(): string {
    const sentences = this.output.filter((line) => !/^\s+at /.test(line));
    return sentences.slice(-LINES_SHOWN).join('\n');
  }

  /** The line it writes when it takes requests. @throws Error when it ends before that, or is not ready in time */
  untilReady(withinMs: number): Promise<Record<string, string>> {
    return within(this.ready, withinMs, 'become ready');
  }

  /** @returns its exit code @throws Error when it does not end in time */
  untilEnded(withinMs: number, what = 'end'): Promise<number | null> {
    return within(this.ended, withinMs, what);
  }

  /** Sends a signal to the program itself, which is the first process of its container, as an engine does. */
  signal(signal: NodeJS.Signals): void {
    const { pid } = this.child;
    const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    if (first) process.kill(Number(first), signal);
  }

  /** For the end of the check, whatever happened. */
  kill(): void {
    this.child.kill('SIGKILL');
  }
}

/**
 * A container without an engine: namespaces of their own for files and processes, the folders of the last stage and this
 * machine's Node with its libraries, nothing else. There is no shell in it. Its network is that of this machine.
 */
export class Container {
  private constructor(
    /** Its file system; who made the container removes it. */
    readonly root: string,
    private readonly image: ImageSettings,
  ) {}

  /** @param stage folder of the performed stage; it is moved into the container */
  static of(stage: string, image: ImageSettings): Container {
    const probe = spawnSync('unshare', [...namespaces(), 'true'], { encoding: 'utf8' });
    if (probe.status !== 0) {
      throw new Error(
        `Programs are run in namespaces of their own, which this user may not make (${probe.stderr?.trim() || 'no program unshare'}).
Run it as root, or where the kernel lets users have namespaces (sysctl kernel.unprivileged_userns_clone=1).`,
      );
    }
    const root = mkdtempSync(join(tmpdir(), 'evenkeel-container-'));
    for (const name of readdirSync(stage)) {
      const { status } = spawnSync('cp', ['-al', join(stage, name), join(root, name)]);
      if (status !== 0) throw new Error(`${join(stage, name)} could not be copied to ${root}.`);
    }
    const node = process.execPath;
    copyFile(node, join(root, image.entrypoint[0]!));
    const { stdout: libraries } = spawnSync('ldd', [node], { encoding: 'utf8' });
    for (const [library] of libraries.matchAll(/\/[^\s)]+/g)) {
      copyFile(library, join(root, library));
      if (!library.includes('/libc.so')) continue;
      for (const other of OF_THE_C_LIBRARY.map((name) => join(dirname(library), name)).filter(existsSync)) {
        copyFile(other, join(root, other));
      }
    }
    for (const folder of ['tmp', 'proc', 'dev', 'run/secrets']) mkdirSync(join(root, folder), { recursive: true });
    for (const device of ['null', 'urandom']) writeFileSync(join(root, 'dev', device), '');
    spawnSync('chmod', ['755', root]);
    return new Container(root, image);
  }

  start({ env = {}, command = this.image.command, secrets = '' }: Start): RunningContainer {
    const [user, group] = this.image.user.split(':');
    const become = process.getuid?.() === 0 ? `--setgid ${group} --setuid ${user}` : '';
    const program = [...this.image.entrypoint, ...command];
    const args = [...namespaces(), 'sh', '-c', ENTER, 'sh', this.root, secrets, this.image.workdir, become, ...program];
    const child = spawn('unshare', args, {
      env: { PATH, ...this.image.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new RunningContainer(child);
  }
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** As another user than root in a namespace of users too, in which it may mount. */
function namespaces(): string[] {
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  return [...user, '--mount', '--pid', '--fork', '--kill-child'];
}

function copyFile(from: string, to: string): void {
  if (existsSync(to)) return;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { dereference: true });
}

async function within<Result>(work: Promise<Result>, ms: number, what: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`did not ${what} within ${ms / 1_000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
