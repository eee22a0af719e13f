import { tmpdir } from 'node:os';
import { Program, stopPrograms } from '@evenkeel/services/programs';
import { ROOT, run } from '../run.fixture';
import { workspaceTexts } from '../texts/workspace-texts';
import { commandsOf, shellBlocks } from './blocks';
import { NOT_HERE, problemsOf, type Workspace } from './check-command';
import { PLAN, planned } from './plan';
import { runPlan } from './run-plan';
import { projectsOf, routesOf, scriptsOf } from './workspace-facts';

const helps = new Map<string, Promise<string>>();
const workspace: Workspace = {
  root: ROOT,
  scripts: scriptsOf(ROOT),
  projects: projectsOf(ROOT),
  made: ['k8s/overlays/mine', 'npm run notices'],
  helpOf: (script, ...words) => {
    const call = [script, ...words].join(' ');
    if (!helps.has(call)) helps.set(call, printedHelp(script, words));
    return helps.get(call)!;
  },
  isRoute: routesOf(ROOT),
};
afterAll(() => stopPrograms());

async function printedHelp(script: string, words: readonly string[]): Promise<string> {
  const [, entry, given = ''] = /(\S+\.ts)(.*)$/.exec(workspace.scripts[script]!)!;
  const first = given.split(' ').filter((word) => word !== '');
  const args = [...first, ...words, '--help'];
  // Not among the compiled programs: the peers of the benchmark would make them twice as large.
  if (entry!.startsWith('bench/')) return run('sh', ['tools/run.sh', entry!, ...args]);
  const program = Program.start(entry!, {}, args);
  const { code } = await program.exit;
  return code === 0 ? program.output : `no help: ${program.output}`;
}

const problemsIn = async (text: string) => {
  const found = await Promise.all(commandsOf(text).map((command) => problemsOf(command, workspace)));
  return found.flat();
};

describe('commands of a block', () => {
  it.each<[string, string, string[]]>([
    [
      'lines, joined lines and comments',
      'npm ci && npm start   # all of it\ncurl -s a \\\n  -d b',
      ['npm ci', 'npm start', 'curl -s a -d b'],
    ],
    ['variables', 'URL=http://x\nA=1 B="2 3" npm run seed', ['npm run seed']],
    [
      'commands within others',
      `T=$(curl -sf $U -d '{"a": "(b"}' |\n  sed 's/"//') cat`,
      [`curl -sf $U -d {"a": "(b"}`, 'sed s/"//', 'cat'],
    ],
    ['quotes', `export K="local:$(openssl rand 32)" # key`, ['openssl rand 32', 'export K=local:$(…)']],
    ['loops', `until curl -sf $U | grep -q '"x"'; do sleep 0.2; done`, ['curl -sf $U', 'grep -q "x"', 'sleep 0.2']],
    [
      'redirections and values of the reader',
      'npm run a -- <file> --until <date|open> > b.csv',
      ['npm run a -- <file> --until <date|open>'],
    ],
    ['functions', `get() { curl -s "x/$1"; }\nget 'a?b' > c.csv`, ['curl -s x/$1']],
  ])('are found: %s', (_, text, expected) => {
    expect(
      commandsOf(text)
        .map(({ text: said }) => said)
        .sort(),
    ).toEqual([...expected].sort());
  });

  it('are looked for on every page', () => {
    const page = 'A page.\n\n```sh\nnpm run a\n```\n\n```ts\nnpm;\n```\n';
    expect(
      shellBlocks(
        new Map([
          ['docs/people.md', page],
          ['apps/standalone/src/main.ts', page],
        ]),
      ),
    ).toEqual([{ file: 'docs/people.md', line: 4, text: 'npm run a\n' }]);
  });
});

it.each([
  ['a script that is not there', 'npm run strat', 'There is no npm run strat.'],
  [
    'a flag that its help does not name',
    'npm run agent -- recommend --sav x',
    'npm run agent -- recommend --help does not name --sav.',
  ],
  ['a path that is not there', 'sh tools/run.sh tools/manifest/src/main.ts', 'There is no tools/manifest/src/main.ts.'],
  ['a suite that is not there', 'npx jest apps/billing/src/nothing', 'There is no apps/billing/src/nothing.'],
  ['a project that is not there', 'npx nx build bilings', 'There is no project bilings.'],
  ['a project that Jest does not have', 'npx jest --selectProjects imag', 'There is no project imag.'],
  ['a path that no service answers', 'curl -s http://localhost:8080/v1/habit', 'No service answers /v1/habit.'],
  ['the same by its variable', 'curl -sf $URL/v1/habits/$HABIT/log', 'No service answers /v1/habits/x/log.'],
  ['a program that nobody has', 'evenkeelctl up', 'evenkeelctl is no program that readers have.'],
  ['a command that npm does not have', 'npm strat', 'npm has no strat.'],
])(
  'finds %s',
  async (_, text, problem) => {
    expect(await problemsIn(text)).toEqual([problem]);
  },
  60_000,
);

it('every command of every page names what is there', async () => {
  const blocks = shellBlocks(workspaceTexts(ROOT).texts);
  expect(blocks.length).toBeGreaterThan(30);
  const problems = await Promise.all(
    blocks.map(async ({ file, line, text }) => {
      const found = await problemsIn(text);
      return found.map((problem) => `${file}:${line}: ${problem}`);
    }),
  );
  expect(problems.flat()).toEqual([]);
}, 120_000);

it('says of every block of every page how it is run, or why not', () => {
  const blocks = planned(shellBlocks(workspaceTexts(ROOT).texts));
  expect(Object.keys(PLAN).sort()).toEqual([...blocks.keys()].sort());
});

describe('the run of a plan', () => {
  const page = (...texts: string[]) => planned(texts.map((text, place) => ({ file: 'README.md', line: place, text })));
  const run = (plan: typeof PLAN, ...texts: string[]) =>
    runPlan(page(...texts), plan, { folder: tmpdir(), env: { PATH: process.env.PATH }, report: () => undefined });

  it('tells which block failed, and why', async () => {
    const failures = await run(
      {
        'README.md#1': { scene: 'nothing' },
        'README.md#2': { scene: 'nothing' },
        'README.md#3': { because: 'it is not run' },
      },
      'echo fine',
      'echo so far\nfalse\necho never',
      'false',
    );
    expect([...failures]).toEqual([['README.md#2', 'It ended with 1:\nso far\n']]);
  });

  it('waits for what stays, beside which the next blocks run, and stops it', async () => {
    const stays = { scene: 'nothing', untilItPrints: /up/, instead: [['<port>', '7']] } as const;
    const plan = { 'README.md#1': stays, 'README.md#2': { scene: 'nothing' } } as const;
    expect(await run(plan, 'echo up <port>; exec sleep 600', 'echo beside')).toEqual(new Map());
    const never = await run({ 'README.md#1': stays }, 'echo down');
    expect([...never.values()]).toEqual(['It never printed /up/:\ndown\n']);
  });
});

it('keeps no reason for a program that no page names', () => {
  const named = shellBlocks(workspaceTexts(ROOT).texts).flatMap(({ text }) => commandsOf(text));
  const programs = new Set(named.map(({ program }) => program));
  expect(Object.keys(NOT_HERE).filter((program) => !programs.has(program))).toEqual([]);
});
