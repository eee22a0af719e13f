import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, ensureProgram, keptFolder, type OperatorLog as Log, runInstaller } from '@evenkeel/services';
import { pythonPackages, ROOT } from '../install/python-packages';

/** A program of `docs/buy`, run as its page says, but with its packages outside the checkout. */
export interface BuyingProgram {
  /** Its folder in `docs/buy`. */
  name: string;
  /** A compiler works for minutes when it comes first: such a program is run when it is named, or all are asked for. */
  isCompiled: boolean;
  /**
   * Installs what the program needs, once.
   * @returns how it is started; the address of the seller follows
   * @throws CannotStartService when a toolchain is missing or fails
   */
  prepare: (env: NodeJS.ProcessEnv, log: Log) => Promise<Command>;
}

const NODE = 'Node 20.19 or newer with npm';
const GO = 'Go 1.25 or newer, or leave go out';
const RUST = 'Rust 1.95 or newer with cargo, or leave rust out';

export const PROGRAMS: readonly BuyingProgram[] = [
  { name: 'typescript', isCompiled: false, prepare: typescript },
  { name: 'python', isCompiled: false, prepare: python },
  { name: 'curl', isCompiled: false, prepare: curl },
  { name: 'go', isCompiled: true, prepare: go },
  { name: 'rust', isCompiled: true, prepare: rust },
];

async function typescript(env: NodeJS.ProcessEnv, log: Log): Promise<Command> {
  const files = ['package.json', 'package-lock.json', '.npmrc'];
  const from = files.map((file) => join(ROOT, 'docs/buy/typescript', file));
  const packages = await keptFolder(
    'buy-typescript',
    from,
    async (folder) => {
      for (const file of files) copyFileSync(join(ROOT, 'docs/buy/typescript', file), join(folder, file));
      const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
      const what = 'npm installs the packages of docs/buy/typescript';
      await runInstaller(what, NODE, { program: 'npm', args, cwd: folder, env }, log);
    },
    process.version,
  );
  // Beside its packages: from the checkout it would import ours.
  const source = readFileSync(join(ROOT, 'docs/buy/typescript/buy.ts'));
  const program = join(packages, `buy-${createHash('sha256').update(source).digest('hex').slice(0, 12)}.ts`);
  writeFileSync(program, source);
  return { program: process.execPath, args: [join(packages, 'node_modules/tsx/dist/cli.mjs'), program], env };
}

async function python(env: NodeJS.ProcessEnv, log: Log): Promise<Command> {
  const packages = await pythonPackages('docs/buy/python', env, log);
  const program = join(ROOT, 'docs/buy/python/buy.py');
  return { program: 'python3', args: [program], env: { ...env, PYTHONPATH: packages } };
}

/** The shell script signs with the program beside it, whose one package is among those of the Python program. */
async function curl(env: NodeJS.ProcessEnv, log: Log): Promise<Command> {
  const packages = await pythonPackages('docs/buy/python', env, log);
  for (const name of ['curl', 'jq', 'openssl']) {
    await ensureProgram({ name, debianPackage: name, purpose: `${name}, or leave curl out` }, log);
  }
  const program = join(ROOT, 'docs/buy/curl/buy.sh');
  return { program: 'bash', args: [program], env: { ...env, PYTHONPATH: packages } };
}

async function go(env: NodeJS.ProcessEnv, log: Log): Promise<Command> {
  const files = ['go.mod', 'go.sum', 'main.go', 'sign.go'].map((file) => join(ROOT, 'docs/buy/go', file));
  const built = await keptFolder('buy-go', files, async (folder) => {
    const cwd = join(ROOT, 'docs/buy/go');
    const what = 'go compiles docs/buy/go';
    await runInstaller(what, GO, { program: 'go', args: ['build', '-o', join(folder, 'buy'), '.'], cwd, env }, log);
  });
  return { program: join(built, 'buy'), args: [], env };
}

async function rust(env: NodeJS.ProcessEnv, log: Log): Promise<Command> {
  const files = ['Cargo.toml', 'Cargo.lock', 'src/main.rs'].map((file) => join(ROOT, 'docs/buy/rust', file));
  const built = await keptFolder('buy-rust', files, async (folder) => {
    const target = mkdtempSync(join(tmpdir(), 'evenkeel-rust-'));
    try {
      const args = ['build', '--locked', '--manifest-path', join(ROOT, 'docs/buy/rust/Cargo.toml')];
      const what = 'cargo compiles docs/buy/rust';
      await runInstaller(what, RUST, { program: 'cargo', args, env: { ...env, CARGO_TARGET_DIR: target } }, log);
      copyFileSync(join(target, 'debug/buy'), join(folder, 'buy'));
    } finally {
      rmSync(target, { recursive: true, force: true });
    }
  });
  return { program: join(built, 'buy'), args: [], env };
}
