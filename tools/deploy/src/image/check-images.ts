import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Environment } from '@evenkeel/platform/config';
import { ownNodeOptions } from '@evenkeel/services';
import { fillImageFolder } from './packages/image-folder';

const run = promisify(execFile);
const STEP_LIMIT_MS = 600_000;
const READY_LIMIT_MS = 120_000;
const EXIT_LIMIT_MS = 15_000;
const OUTPUT_SHOWN = 2_000;
/** Of everything in the image but Node and what is below it. */
const SIZE_MAX_MB = 300;
/** Files that an image has no use for, and files that no image may show. */
const NOT_IN_IMAGES =
  /\.(spec|fixture)\.(ts|js)$|(^|\/)(\.env[^/]*|\.git|\.npm|\.cache|id_rsa|[^/]+\.(pem|key))$|\/dist\/testing$/;

export interface CheckOptions {
  /** The workspace. */
  root: string;
  projects: readonly string[];
  /** The settings of a project's program, beside its ports. */
  settingsOf: (project: string) => Promise<Readonly<Record<string, string>>>;
  /** Of the shell: npm and Node are found by it. */
  env: Environment;
  say: (line: string) => void;
}

/**
 * Fills a folder for each project as docker/Dockerfile does, and starts its programs from there: nothing is loaded but what the
 * image has.
 * @returns what is wrong, a sentence for each
 */
export async function checkImages({ root, projects, settingsOf, env, say }: CheckOptions): Promise<string[]> {
  const offences: string[] = [];
  for (const project of projects) {
    const folder = await mkdtemp(join(tmpdir(), 'evenkeel-image-'));
    try {
      say(`${project}: packages`);
      await fillImageFolder(root, project, folder);
      for (const command of commandsOf(root))
        await inFolder(command, folder, { ...env, APP: project, npm_config_loglevel: 'error' }, root);
      const { stdout: size } = await run('du', ['-sm', folder]);
      const megabytes = parseInt(size);
      say(`${project}: ${megabytes} MB without Node`);
      if (megabytes > SIZE_MAX_MB) offences.push(`${project}: has ${megabytes} MB, and may have ${SIZE_MAX_MB}.`);
      const useless = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
        (file) => !file.startsWith('node_modules/') && NOT_IN_IMAGES.test(file),
      );
      offences.push(...useless.map((file) => `${project}: ${file} does not belong into an image.`));
      const settings = await settingsOf(project);
      for (const program of programsOf(root, project)) {
        say(`${project}: ${program.join(' ')}`);
        const said = await startedFrom(join(folder, project, 'dist'), program, { PATH: env['PATH'], ...settings });
        if (said !== undefined) offences.push(`${project}: ${program.join(' ')} ${said}`);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  }
  return offences;
}

/** The stage of packages runs it once the folder is filled; `npm sbom` fails if packages are not those of the lock file. */
function commandsOf(root: string): string[] {
  const [, stage = ''] = /^FROM build AS packages$([^]*?)^FROM /m.exec(
    readFileSync(join(root, 'docker/Dockerfile'), 'utf8'),
  )!;
  const commands = [...stage.matchAll(/^RUN (?:--mount=\S+ )?(.+)$/gm)].map(([, command]) => command!);
  return commands.filter((command) => !command.includes('dist/image/packages/main.js'));
}

async function inFolder(command: string, cwd: string, env: Environment, root: string): Promise<void> {
  const placed = command.replaceAll(' ../tools/', ` ${join(root, 'tools')}/`);
  await run('sh', ['-c', placed], { cwd, env, timeout: STEP_LIMIT_MS, maxBuffer: 64 * 1_048_576 });
}

/** Words after `node`: of a service each half and the doctor, and of every project the commands of operators by their help. */
function programsOf(root: string, project: string): string[][] {
  const app = basename(project);
  const isService = project.startsWith('apps/');
  const page = readFileSync(join(root, 'docs/operations/commands.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `[^`]+` +\| `([\w-]+) ([\w/-]+\.js[^`]*)`/gm)];
  const ofOthers = project === 'tools/ops' ? /-events$/ : new RegExp(`^${app}$`);
  const typed = rows
    .filter(([, service]) => ofOthers.test(service!))
    .map(([, , words]) => [...words!.split(' '), '--help']);
  const own = isService ? [['migrate.js'], [...ownNodeOptions(app), 'main.js'], ['worker.js']] : [];
  const ofTool = ['main', 'events/create-topics/main']
    .filter((name) => !isService && existsSync(join(root, project, `src/${name}.ts`)))
    .map((name) => [`${name}.js`, '--help']);
  return [...own, ...ofTool, ...new Map(typed.map((words) => [words.join(' '), words])).values()];
}

/** @returns what is wrong; undefined when it ends well, or is ready and ends well after SIGTERM */
async function startedFrom(
  cwd: string,
  program: readonly string[],
  settings: Environment,
): Promise<string | undefined> {
  const ports = { PORT: '0', INTERNAL_PORT: '0', WORKER_INTERNAL_PORT: '0' };
  const env = { NODE_ENV: 'development', ...ports, ...settings };
  const child = spawn(process.execPath, ['--enable-source-maps', ...program], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      output.push(line);
      if (line.startsWith('{"ready":true')) setTimeout(() => child.kill('SIGTERM'), 0);
    });
  }
  const isEndless = /^(main|worker)\.js$/.test(program.at(-1)!);
  const limit = setTimeout(() => child.kill('SIGKILL'), READY_LIMIT_MS + EXIT_LIMIT_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(limit);
  const wasReady = output.some((line) => line.startsWith('{"ready":true'));
  if (code === 0 && (!isEndless || wasReady)) return undefined;
  return `ended with ${code}: ${output.join('\n').slice(-OUTPUT_SHOWN)}`;
}
