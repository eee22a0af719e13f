import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder, CannotStartService, ensureProgram } from '@evenkeel/services';

const run = promisify(execFile);

/** The last one that the Go of Debian 12 builds. */
const VERSION = 'v5.0.3';
const MODULE = `sigs.k8s.io/kustomize/kustomize/v5@${VERSION}`;
const BUILD_LIMIT_MS = 900_000;
const BY_HAND = `Type "go install ${MODULE}" and put $(go env GOPATH)/bin on the PATH.`;

type OperatorLog = (line: string) => void;

/** Standard error: what a command prints for other programs stays clean. */
const toOperator: OperatorLog = (line) => void process.stderr.write(`${line}\n`);

/**
 * Finds kustomize 5 on the PATH, else builds it once for all checkouts of this user.
 * @returns the path of the program
 * @throws CannotStartService with the command to type
 */
export async function ensureKustomize(log: OperatorLog = toOperator, names = ['kustomize']): Promise<string> {
  for (const name of names) if (await isRecent(name)) return name;
  const folder = await cachedFolder(`kustomize-${VERSION}`, (unfinished) => build(unfinished, log));
  return join(folder, 'kustomize');
}

/** Older ones do not know all that labels can be put on. One that Go has built does not know its version. */
async function isRecent(program: string): Promise<boolean> {
  const { stdout } = await run(program, ['version']).catch(() => ({ stdout: '' }));
  return /\(devel\)|\bv?([5-9]|\d\d+)\.\d+\.\d+/.test(stdout);
}

async function build(folder: string, log: OperatorLog): Promise<void> {
  const purpose = `Go 1.19 or newer, or kustomize 5`;
  const go = await ensureProgram({ name: 'go', debianPackage: 'golang-go', purpose }, log);
  log(`Building kustomize ${VERSION} with Go, once: a minute or two.`);
  const began = performance.now();
  // The shell adds one variable to those that this process was started with. To optimise a program that runs for seconds takes longer.
  const install = ['-c', 'GOBIN="$0" exec "$1" install -gcflags="all=-N -l" "$2"', folder, go, MODULE];
  try {
    await run('sh', install, { timeout: BUILD_LIMIT_MS });
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    throw new CannotStartService(`Go could not build kustomize. ${BY_HAND}\n${stderr.trim().slice(-1_000)}`);
  }
  log(`Built kustomize in ${Math.round((performance.now() - began) / 1_000)} s.`);
}
