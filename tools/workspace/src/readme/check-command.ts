import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Command } from './blocks';

/** The names that commands of pages may use. */
export interface Workspace {
  root: string;
  /** Of package.json. */
  scripts: Readonly<Record<string, string>>;
  /** Names of projects: `billing` is apps/billing. */
  projects: readonly string[];
  /** Files, folders and scripts that other commands of the page make. */
  made: readonly string[];
  /** The output of `npm run <script> -- <words> --help`. */
  helpOf(script: string, ...words: readonly string[]): Promise<string>;
  /** Whether a service answers this path, of whatever method. */
  isRoute: (path: string) => boolean;
}

/** Programs that are there wherever the product is developed, or that a page says to install. */
const KNOWN = new Set([
  'curl',
  'cp',
  'cat',
  'date',
  'export',
  'git',
  'grep',
  'node',
  'npm',
  'npx',
  'openssl',
  'printf',
  'sed',
  'sh',
  'sleep',
  'xargs',
]);

/** Programs that a test of the workspace cannot run, and why. */
export const NOT_HERE: Readonly<Record<string, string>> = {
  docker: 'it needs an engine for containers: npm run image:check fills images without one',
  'kafka-acls.sh': 'of the distribution of Kafka, beside the brokers',
  kind: 'it needs an engine for containers',
  kubectl: 'it needs a cluster: the checks of tools/deploy try what it would be given',
  kustomize: 'it needs a cluster behind it: the checks of tools/deploy build with it',
  pg_dump: 'of the clients of PostgreSQL, which the product does not bring along',
  pg_restore: 'of the clients of PostgreSQL, which the product does not bring along',
};

/** @returns a sentence for each thing that a command names and that is not there */
export async function problemsOf(command: Command, workspace: Workspace): Promise<string[]> {
  const { program, args } = command;
  if (!KNOWN.has(program) && !(program in NOT_HERE)) return [`${program} is no program that readers have.`];
  const paths = args.filter((arg) => isPathOfOurs(arg) && !isThere(arg, workspace)).map((arg) => `There is no ${arg}.`);
  if (program === 'npm') return [...paths, ...(await npmProblems(args, workspace))];
  if (program === 'npx') return [...paths, ...npxProblems(args, workspace)];
  if (program === 'curl') return [...paths, ...curlProblems(args, workspace)];
  return paths;
}

/** Names of commands of npm itself. */
const OF_NPM = new Set(['ci', 'install', 'start', 'test']);

async function npmProblems([first = '', ...rest]: readonly string[], workspace: Workspace): Promise<string[]> {
  const isRun = first === 'run';
  const script = isRun ? rest[0] : first;
  if (script === undefined || (!isRun && !OF_NPM.has(script))) return [`npm has no ${first}.`];
  if (isRun && !(script in workspace.scripts)) {
    return workspace.made.includes(`npm run ${script}`) ? [] : [`There is no npm run ${script}.`];
  }
  const dashes = rest.indexOf('--');
  const given = dashes < 0 ? [] : rest.slice(dashes + 1);
  const flags = given.filter((word) => /^--[a-z]/.test(word) && word !== '--help').map((word) => word.split('=')[0]!);
  if (flags.length === 0) return [];
  // The first word may be a command of its own.
  const words = given.slice(0, 1).filter((word) => /^[a-z-]+$/.test(word) && !word.startsWith('-'));
  const help = await workspace.helpOf(script, ...words);
  const call = ['npm run', script, '--', ...words, '--help'].join(' ');
  return flags
    .filter((flag) => !new RegExp(`${flag}(?![a-z-])`).test(help))
    .map((flag) => `${call} does not name ${flag}.`);
}

function npxProblems([tool = '', ...rest]: readonly string[], { projects }: Workspace): string[] {
  if (tool === 'jest') {
    const named = rest[0] === '--selectProjects' ? rest.slice(1) : [];
    return named.filter((name) => !projects.includes(name)).map((name) => `There is no project ${name}.`);
  }
  if (tool !== 'nx') return [`npx ${tool} is not known here.`];
  const [target, name = ''] = rest;
  const named = target === 'g' ? name.replace(/^@evenkeel\/(\w+):.*/, '$1') : name;
  return projects.includes(named) ? [] : [`There is no project ${named}.`];
}

const ADDRESS = /^(?:http:\/\/localhost:8080|\$\{?URL\}?)(\/[^?]*)?/;

function curlProblems(args: readonly string[], { isRoute }: Workspace): string[] {
  return args.flatMap((arg) => {
    const address = ADDRESS.exec(arg);
    if (!address) return [];
    const path = (address[1] ?? '/').replaceAll(/\$\{?\w+\}?/g, 'x');
    return isRoute(path) ? [] : [`No service answers ${path}.`];
  });
}

const PLACES = /^(?:\.\/)?(apps|libs|tools|bench|docs|docker|k8s)\//;

function isPathOfOurs(word: string): boolean {
  return PLACES.test(word) && !/[…<$*]/.test(word);
}

/** A suite may be named by the beginning of its path. */
function isThere(path: string, { root, made }: Workspace): boolean {
  const folder = join(root, dirname(path));
  // What a build makes of a source.
  const source = path.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
  const begins = existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(`${basename(path)}.`));
  return begins || existsSync(join(root, source)) || made.some((one) => path === one || path.startsWith(`${one}/`));
}
