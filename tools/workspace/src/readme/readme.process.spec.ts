import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Program, stopPrograms } from '@evenkeel/services/programs';
import { ROOT, run } from '../run.fixture';
import { workspaceTexts } from '../texts/workspace-texts';
import { PLAN, shellBlocks } from './plan';

const jsonOf = <Content>(path: string): Content => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Content;

const { scripts } = jsonOf<{ scripts: Record<string, string> }>('package.json');
const projects = ['apps', 'libs', 'tools'].flatMap((place) => readdirSync(join(ROOT, place))).concat('bench');
const OPENAPI = 'libs/contracts/openapi';
const routes = readdirSync(join(ROOT, OPENAPI))
  .flatMap((name) => Object.keys(jsonOf<{ paths: object }>(`${OPENAPI}/${name}`).paths))
  .map((path) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`));
/** Made by a command of the same page. */
const MADE = ['k8s/overlays/mine'];

const helps = new Map<string, Promise<string>>();
afterAll(() => stopPrograms());

function helpOf(script: string, words: readonly string[]): Promise<string> {
  const call = [script, ...words].join(' ');
  if (!helps.has(call)) helps.set(call, printedHelp(script, words));
  return helps.get(call)!;
}

async function printedHelp(script: string, words: readonly string[]): Promise<string> {
  const command = scripts[script]!;
  const [, entry, given = ''] = (/(\S+\.ts)(.*)$/.exec(command) ?? /(\S+\.sh)(.*)$/.exec(command))!;
  const args = [...given.split(' ').filter(Boolean), ...words, '--help'];
  if (entry!.endsWith('.sh')) return run('sh', [entry!, ...args]);
  // Not among the compiled programs: the peers of the benchmark would make them twice as large.
  if (entry!.startsWith('bench/')) return run('sh', ['tools/run.sh', entry!, ...args]);
  const program = Program.start(entry!, {}, args);
  const { code } = await program.exit;
  return code === 0 ? program.output : `no help: ${program.output}`;
}

/** A sentence for each script, flag, path, project and route that commands name and that is not there. */
async function problemsIn(block: string): Promise<string[]> {
  const text = block.replaceAll('\\\n', ' ').replaceAll(/(^|\s)#.*$/gm, '$1');
  const found: string[] = [];
  for (const [, script = '', rest = ''] of text.matchAll(/\bnpm run (?:-s |--silent )?([\w:-]+)([^\n|&;)]*)/g)) {
    if (!(script in scripts)) found.push(`There is no npm run ${script}.`);
    else found.push(...(await unknownFlags(script, / -- (.*)$/.exec(rest)?.[1]?.split(/\s+/) ?? [])));
  }
  for (const [, command = ''] of text.matchAll(/\bnpm (?!run\b)([a-z]\w*)/g)) {
    if (!['ci', 'install', 'start', 'test'].includes(command)) found.push(`npm has no ${command}.`);
  }
  for (const [, name = ''] of text.matchAll(/\bnpx (?:nx (?!g )\w+ |jest --selectProjects )([\w-]+)/g)) {
    if (!projects.includes(name)) found.push(`There is no project ${name}.`);
  }
  for (const [, path = ''] of text.matchAll(
    /(?<=^|[\s=])(?:\.\/)?((?:apps|libs|tools|bench|docs|docker|k8s)\/[^\s'"…<$*)]*)(?=[\s'")]|$)/gm,
  )) {
    if (!isThere(path)) found.push(`There is no ${path}.`);
  }
  for (const [, path = '/'] of text.matchAll(/(?:http:\/\/localhost:8080|\$\{?URL\}?)(\/[^?\s'"]*)?/g)) {
    const filled = path.replaceAll(/\$\{?\w+\}?|<[a-z][^>]*>/g, 'x');
    if (/\bcurl\b/.test(text) && !routes.some((route) => route.test(filled)))
      found.push(`No service answers ${filled}.`);
  }
  return found;
}

async function unknownFlags(script: string, given: readonly string[]): Promise<string[]> {
  const flags = given.filter((word) => /^--[a-z]/.test(word) && word !== '--help').map((word) => word.split('=')[0]!);
  if (flags.length === 0) return [];
  // The first word may be a command of its own.
  const words = given.slice(0, 1).filter((word) => /^[a-z][a-z-]*$/.test(word));
  const help = await helpOf(script, words);
  const call = ['npm run', script, '--', ...words, '--help'].join(' ');
  return flags
    .filter((flag) => !new RegExp(`${flag}(?![a-z-])`).test(help))
    .map((flag) => `${call} does not name ${flag}.`);
}

/** A suite may be named by the beginning of its path, and what a build makes by its source. */
function isThere(path: string): boolean {
  const [folder, source] = [join(ROOT, dirname(path)), path.replace('/dist/', '/src/').replace(/\.js$/, '.ts')];
  const begins = existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(`${basename(path)}.`));
  return begins || existsSync(join(ROOT, source)) || MADE.some((one) => path.startsWith(one));
}

it.each([
  ['npm run strat', 'There is no npm run strat.'],
  ['npm run agent -- recommend --sav x', 'npm run agent -- recommend --help does not name --sav.'],
  ['npx jest apps/billing/src/nothing', 'There is no apps/billing/src/nothing.'],
  ['npx nx build bilings', 'There is no project bilings.'],
  ['curl -s http://localhost:8080/v1/habit', 'No service answers /v1/habit.'],
  ['npm strat', 'npm has no strat.'],
])('finds what is wrong with %s', async (text, problem) => expect(await problemsIn(text)).toEqual([problem]), 60_000);

it('every command of every page names things that are there', async () => {
  const blocks = shellBlocks(workspaceTexts(ROOT).texts);
  expect(Object.keys(PLAN).filter((name) => !blocks.has(name))).toEqual([]);
  expect(blocks.size).toBeGreaterThan(30);
  const problems = await Promise.all(
    [...blocks].map(async ([name, { text }]) => (await problemsIn(text)).map((one) => `${name}: ${one}`)),
  );
  expect(problems.flat()).toEqual([]);
}, 300_000);
