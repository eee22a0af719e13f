import { Program, stopPrograms } from '@evenkeel/services/programs';
import { ROOT, run } from '../run.fixture';
import { workspaceTexts } from '../texts/workspace-texts';
import { commandsOf, shellBlocks } from './blocks';
import { NOT_HERE, problemsOf, type Workspace } from './check-command';
import { PLAN, planned } from './plan';
import { projectsOf, routesOf, scriptsOf } from './workspace-facts';

const helps = new Map<string, Promise<string>>();
const workspace: Workspace = {
  root: ROOT,
  scripts: scriptsOf(ROOT),
  projects: projectsOf(ROOT),
  made: ['k8s/overlays/mine'],
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

it('keeps no reason for a program that no page names', () => {
  const named = shellBlocks(workspaceTexts(ROOT).texts).flatMap(({ text }) => commandsOf(text));
  const programs = new Set(named.map(({ program }) => program));
  expect(Object.keys(NOT_HERE).filter((program) => !programs.has(program))).toEqual([]);
});
