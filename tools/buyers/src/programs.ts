import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Command, ensureProgram, keptFolder, type OperatorLog as Log, runInstaller } from '@evenkeel/services';
import { pythonPackages, ROOT } from './python-packages';

type Prepare = (env: NodeJS.ProcessEnv, log: Log) => Promise<Command>;

/** A program of `docs/buy`, run as its page says, but with its packages outside the checkout. */
interface BuyingProgram {
  /** Its folder in `docs/buy`. */
  name: string;
  isCompiled: boolean;
  /**
   * Installs what the program needs, once.
   * @returns how it is started; the address of the seller follows
   * @throws CannotStartService when a toolchain is missing or fails
   */
  prepare: Prepare;
}

const BUY = join(ROOT, 'docs/buy');
const NODE = 'Node 20.19 or newer with npm';
const GO = 'Go 1.25 or newer, or leave go out';
const RUST = 'Rust 1.95 or newer with cargo, or leave rust out';

const typescript: Prepare = async (env, log) => {
  const files = ['package.json', 'package-lock.json', '.npmrc'].map((file) => join(BUY, 'typescript', file));
  const fill = async (cwd: string): Promise<void> => {
    for (const file of files) copyFileSync(file, join(cwd, file.split('/').at(-1)!));
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    await runInstaller(
      'npm installs the packages of docs/buy/typescript',
      NODE,
      { program: 'npm', args, cwd, env },
      log,
    );
  };
  const packages = await keptFolder('buy-typescript', files, fill, process.version);
  // Beside its packages: from the checkout it would import ours.
  const source = readFileSync(join(BUY, 'typescript/buy.ts'));
  const program = join(packages, `buy-${createHash('sha256').update(source).digest('hex').slice(0, 12)}.ts`);
  writeFileSync(program, source);
  return { program: process.execPath, args: [join(packages, 'node_modules/tsx/dist/cli.mjs'), program], env };
};

const python: Prepare = async (env, log) => {
  const PYTHONPATH = await pythonPackages('docs/buy/python', env, log);
  return { program: 'python3', args: [join(BUY, 'python/buy.py')], env: { ...env, PYTHONPATH } };
};

/** The shell script signs with the program beside it, whose one package is among those of the Python program. */
const curl: Prepare = async (env, log) => {
  const PYTHONPATH = await pythonPackages('docs/buy/python', env, log);
  for (const name of ['curl', 'jq', 'openssl']) {
    await ensureProgram({ name, debianPackage: name, purpose: `${name}, or leave curl out` }, log);
  }
  return { program: 'bash', args: [join(BUY, 'curl/buy.sh')], env: { ...env, PYTHONPATH } };
};

const go: Prepare = async (env, log) => {
  const cwd = join(BUY, 'go');
  const files = ['go.mod', 'go.sum', 'main.go', 'sign.go'].map((file) => join(cwd, file));
  const built = await keptFolder('buy-go', files, async (folder) => {
    const args = ['build', '-o', join(folder, 'buy'), '.'];
    await runInstaller('go compiles docs/buy/go', GO, { program: 'go', args, cwd, env }, log);
  });
  return { program: join(built, 'buy'), args: [], env };
};

const rust: Prepare = async (env, log) => {
  const cwd = join(BUY, 'rust');
  const files = ['Cargo.toml', 'Cargo.lock', 'src/main.rs'].map((file) => join(cwd, file));
  const built = await keptFolder('buy-rust', files, async (folder) => {
    const target = mkdtempSync(join(tmpdir(), 'evenkeel-rust-'));
    const command = { program: 'cargo', args: ['build', '--locked'], cwd, env: { ...env, CARGO_TARGET_DIR: target } };
    try {
      await runInstaller('cargo compiles docs/buy/rust', RUST, command, log);
      copyFileSync(join(target, 'debug/buy'), join(folder, 'buy'));
    } finally {
      rmSync(target, { recursive: true, force: true });
    }
  });
  return { program: join(built, 'buy'), args: [], env };
};

export const PROGRAMS: readonly BuyingProgram[] = [
  { name: 'typescript', isCompiled: false, prepare: typescript },
  { name: 'python', isCompiled: false, prepare: python },
  { name: 'curl', isCompiled: false, prepare: curl },
  { name: 'go', isCompiled: true, prepare: go },
  { name: 'rust', isCompiled: true, prepare: rust },
];

/** The lines that every program of `docs/buy` prints, in this order. */
const STEPS = ['wallet', 'price', 'answer', 'receipt', 'repeat', 'charged'] as const;

/** The output of a program about its purchase: the text behind the name of each step. */
export type Purchase = Record<(typeof STEPS)[number], string>;

/**
 * Lets a program buy.
 * @param seller address of the service
 * @throws Error with all that it printed when it fails, or leaves a step out
 */
export async function purchase({ program, args, cwd, env }: Command, seller: string): Promise<Purchase> {
  const bought = promisify(execFile)(program, [...args, seller], { cwd, env, timeout: 120_000 });
  const { stdout: printed } = await bought.catch(({ code, stdout, stderr }: Record<string, string>) => {
    throw new Error(`It ended with ${code}:\n${stdout}${stderr}`);
  });
  const lines = [...printed.matchAll(/^(\w+) +(.+)$/gm)].map(([, name, text]) => [name!, text!] as const);
  const found = lines.filter(([name]) => (STEPS as readonly string[]).includes(name));
  if (found.map(([name]) => name).join() !== STEPS.join()) {
    throw new Error(`It should print ${STEPS.join(', ')}, each once. It printed:\n${printed}`);
  }
  return Object.fromEntries(found) as Purchase;
}
