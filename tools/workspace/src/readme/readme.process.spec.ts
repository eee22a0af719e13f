import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Program, stopPrograms } from '@evenkeel/services/programs';
import { ROOT, run } from '../run.fixture';
import { workspaceTexts } from '../texts/workspace-texts';
import { PLAN, shellBlocks } from './plan';

const jsonOf = <Content>(path: string): Content => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Content;

const { scripts } = jsonOf<{ scripts: Record<string, string> }>('package.json');
const OPENAPI = 'libs/contracts/openapi';
const routes = readdirSync(join(ROOT, OPENAPI))
  .flatMap((name) => Object.keys(jsonOf<{ paths: object }>(`${OPENAPI}/${name}`).paths))
  .map((path) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`));

const projects = ['apps', 'libs', 'tools'].flatMap((place) => readdirSync(join(ROOT, place))).concat('bench');

const helps = new Map<string, Promise<string>>();
afterAll(() => stopPrograms());

function helpOf(script: string, words: readonly string[]): Promise<string> {
  const call = [script, ...words].join(' ');
  if (!helps.has(call)) helps.set(call, printedHelp(script, words));
  return helps.get(call)!;
}

async function printedHelp(script: string, words: readonly string[]): Promise<string> {
  const [, entry, given = ''] = /([\w/.-]+(?<!run)\.(?:ts|sh))(.*)$/.exec(scripts[script]!)!;
  const args = [...given.split(' ').filter(Boolean), ...words, '--help'];
  if (entry!.endsWith('.sh')) return run('sh', [entry!, ...args]);
  // Not among the compiled programs: the peers of the benchmark would make them twice as large.
  if (entry!.startsWith('bench/')) return run('sh', ['tools/run.sh', entry!, ...args]);
  const program = Program.start(entry!, {}, args);
  const { code } = await program.exit;
  return code === 0 ? program.output : `no help: ${program.output}`;
}

/** Each script, flag, path and route that commands name and that is not there. */
async function missingIn(block: string): Promise<string[]> {
  const text = block.replaceAll('\\\n', ' ').replaceAll(/(^|\s)#.*$/gm, '$1');
  const found: string[] = [];
  for (const [, script = '', rest = ''] of text.matchAll(/\bnpm run (?:-s |--silent )?([\w:-]+)([^\n|&;)]*)/g)) {
    const given = / -- (.*)$/.exec(rest)?.[1]?.split(/\s+/) ?? [];
    if (!(script in scripts)) found.push(script);
    else found.push(...(await unknownFlags(script, given)));
  }
  const words = [...text.matchAll(/\bnpm (?!run\b)([a-z]\w*)/g)].map(([, word]) => word!);
  found.push(...words.filter((word) => !['ci', 'install', 'start', 'test'].includes(word)));
  const named = [...text.matchAll(/\bnpx (?:nx (?!g )\w+ |jest --selectProjects )([\w-]+)/g)].map(([, name]) => name!);
  found.push(...named.filter((name) => !projects.includes(name)));
  const paths = /(?<=^|[\s=])(?:\.\/)?((?:apps|libs|tools|bench|docs|docker|k8s)\/[^\s'"…<$*)]*)(?=[\s'")]|$)/gm;
  found.push(...[...text.matchAll(paths)].map(([, path]) => path!).filter((path) => !isThere(path)));
  for (const [, path = '/'] of text.matchAll(/(?:http:\/\/localhost:8080|\$\{?URL\}?)(\/[^?\s'"]*)?/g)) {
    const filled = path.replaceAll(/\$\{?\w+\}?|<[a-z][^>]*>/g, 'x');
    if (/\bcurl\b/.test(text) && !routes.some((route) => route.test(filled))) found.push(filled);
  }
  return found;
}

async function unknownFlags(script: string, given: readonly string[]): Promise<string[]> {
  const flags = given.filter((word) => /^--[a-z]/.test(word) && word !== '--help').map((word) => word.split('=')[0]!);
  if (flags.length === 0) return [];
  // The first word may be a command of its own.
  const help = await helpOf(
    script,
    given.slice(0, 1).filter((word) => /^[a-z][a-z-]*$/.test(word)),
  );
  return flags.filter((flag) => !new RegExp(`${flag}(?![a-z-])`).test(help));
}

/** A suite may be named by the beginning of its path, what a build makes by its source; a page makes one overlay. */
function isThere(path: string): boolean {
  const [folder, source] = [join(ROOT, dirname(path)), path.replace('/dist/', '/src/').replace(/\.js$/, '.ts')];
  const begins = existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(`${basename(path)}.`));
  return begins || existsSync(join(ROOT, source)) || path.startsWith('k8s/overlays/mine');
}

it.each([
  ['npm run strat', 'strat'],
  ['npm run agent -- recommend --sav x', '--sav'],
  ['npx jest apps/billing/src/nothing', 'apps/billing/src/nothing'],
  ['npx nx build bilings', 'bilings'],
  ['npm strat', 'strat'],
  ['curl -s http://localhost:8080/v1/habit', '/v1/habit'],
])('finds what is wrong with %s', async (text, missing) => expect(await missingIn(text)).toEqual([missing]), 60_000);

it('every command of every page names things that are there', async () => {
  const blocks = shellBlocks(workspaceTexts(ROOT).texts);
  expect(Object.keys(PLAN).filter((name) => !blocks.has(name))).toEqual([]);
  expect(blocks.size).toBeGreaterThan(30);
  const missing = [...blocks].map(async ([name, { text }]) => (await missingIn(text)).map((one) => `${name}: ${one}`));
  expect((await Promise.all(missing)).flat()).toEqual([]);
}, 300_000);
