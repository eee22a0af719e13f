import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pythonPackages, ROOT } from '../install/python-packages';
import { type Command, type OperatorLog as Log, runInstaller } from '@evenkeel/services';

/** A client that somebody else's generator makes of the OpenAPI document, and a program of ours that calls with it. */
export interface GeneratedClient {
  /** Its folder in `clients`. */
  name: string;
  generator: string;
  /**
   * Generates and compiles.
   * @param work a folder with the document as `openapi.json` and a copy of the folder in `clients`
   * @returns how the program is started
   * @throws CannotStartService with what generator or compiler said
   */
  make: (work: string, env: NodeJS.ProcessEnv, log: Log) => Promise<Command>;
}

const GO = 'Go 1.25 or newer, or leave go out';
const JAVA = 'Java 17 or newer with Maven, or leave java out';
const NODE = 'Node 20.19 or newer';
const PYTHON = 'Python 3.11 or newer with pip';

export const CLIENTS: readonly GeneratedClient[] = [
  { name: 'typescript', generator: 'openapi-typescript', make: typescript },
  { name: 'python', generator: 'openapi-python-client', make: python },
  { name: 'go', generator: 'oapi-codegen', make: go },
  { name: 'java', generator: 'openapi-generator', make: java },
];

/** Copies what the client is made of into the folder. */
export function copySources(name: string, work: string): void {
  cpSync(join(__dirname, '../../clients', name), work, { recursive: true });
}

async function typescript(work: string, env: NodeJS.ProcessEnv, log: Log): Promise<Command> {
  const packages = join(ROOT, 'node_modules');
  symlinkSync(packages, join(work, 'node_modules'));
  const run = (what: string, ...args: string[]) =>
    runInstaller(what, NODE, { program: process.execPath, args, cwd: work, env }, log);
  // A member with a default may be left out of a request.
  const output = ['--default-non-nullable=false', '--output', 'openapi.ts'];
  await run('openapi-typescript generates', join(packages, 'openapi-typescript/bin/cli.js'), 'openapi.json', ...output);
  const options = ['--ignoreConfig', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'];
  await run('tsc compiles', join(packages, 'typescript/bin/tsc'), ...options, '--types', 'node', 'buy.mts', 'sync.mts');
  return { program: process.execPath, args: ['buy.mjs'], cwd: work, env };
}

async function python(work: string, env: NodeJS.ProcessEnv, log: Log): Promise<Command> {
  const packages = await pythonPackages('tools/buyers/clients/python', env, log);
  const found = { ...env, PYTHONPATH: packages };
  const run = (what: string, ...args: string[]) =>
    runInstaller(what, PYTHON, { program: 'python3', args, cwd: work, env: found }, log);
  const into = ['--meta', 'none', '--output-path', 'evenkeel_client', '--config', 'config.yaml'];
  await run(
    'openapi-python-client generates',
    '-m',
    'openapi_python_client',
    'generate',
    '--path',
    'openapi.json',
    ...into,
  );
  await run('Python compiles', '-m', 'compileall', '-q', 'evenkeel_client');
  return { program: 'python3', args: ['buy.py'], cwd: work, env: found };
}

async function go(work: string, env: NodeJS.ProcessEnv, log: Log): Promise<Command> {
  mkdirSync(join(work, 'evenkeel'));
  const run = (what: string, ...args: string[]) => runInstaller(what, GO, { program: 'go', args, cwd: work, env }, log);
  await run('oapi-codegen generates', 'tool', 'oapi-codegen', '--config', 'config.yaml', 'openapi.json');
  await run('Go compiles', 'build', '-o', 'buy', '.');
  return { program: join(work, 'buy'), args: [], env };
}

async function java(work: string, env: NodeJS.ProcessEnv, log: Log): Promise<Command> {
  const command = { program: 'mvn', args: ['--batch-mode', '--quiet', 'compile'], cwd: work, env };
  await runInstaller('openapi-generator generates, and Java compiles', JAVA, command, log);
  return { ...command, args: ['--batch-mode', '--quiet', 'exec:java'] };
}
