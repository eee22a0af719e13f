import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { workspaceTexts } from '../texts/workspace-texts';
import { type Block, PLAN, type Run, shellBlocks } from './plan';
import { Terminal } from './terminal';

const ROOT = join(__dirname, '../../../..');

const CHECK = new Command('npm run readme:check --')
  .description(
    `Runs the commands of all pages as a reader types them, in a copy of the workspace: with nothing there, beside npm start, beside
npm run services. Takes minutes; ports 8080, 8081, 8402 and 3000 must be free. tools/workspace/src/readme/plan.ts says which are
run.`,
  )
  .argument('[pages...]', 'such as README.md docs/people.md; all of them by default')
  .addHelpText('after', '\nExit code 1 when a block fails.');

/** A copy of the files that git has or would add, with links to the installed packages. */
function copyOfWorkspace(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'evenkeel-pages-')));
  const list = 'git ls-files --cached --others --exclude-standard -z';
  execFileSync('sh', ['-c', `${list} | tar --null -T - -c | tar -x -C "$0"`, folder], { cwd: ROOT });
  const [packages, ours] = [join(folder, 'node_modules'), join(folder, 'node_modules/@evenkeel')];
  mkdirSync(ours, { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '@evenkeel' && name !== '.cache') symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
  }
  for (const kind of ['apps', 'libs', 'tools'])
    for (const name of readdirSync(join(folder, kind))) symlinkSync(join(folder, kind, name), join(ours, name));
  // The database server may be another user.
  execFileSync('chmod', ['o+x', folder]);
  return folder;
}

/** Runs what is planned in one scene. @returns the names of the blocks that failed */
async function runScene(runs: readonly [string, Run][], blocks: ReadonlyMap<string, Block>, folder: string) {
  const env = { PATH: process.env.PATH, HOME: homedir() };
  const failed: string[] = [];
  const staying: Terminal[] = [];
  const failing = (name: string) => (error: Error) => {
    console.log(`  failed: ${error.message}`);
    failed.push(name);
  };
  try {
    if (runs[0]?.[1].scene === 'services') {
      staying.push(new Terminal('npm run services', folder, env));
      await staying[0]!.done(/Ctrl-C stops them/);
    }
    const exported = [
      ...(staying[0]?.output ?? '').matchAll(/(?:^# in the terminal of (\S+):\n)?^export (\w+)='(.*)'$/gm),
    ];
    const seeded = exported.find(([, of]) => of === 'reporting')?.[3]!.replace(/reporting$/, 'postgres');
    for (const [name, { service, instead = [], untilItPrints }] of runs) {
      console.log(name);
      const text = instead.reduce((typed, [written, other]) => typed.replace(written, other), blocks.get(name)!.text);
      const own = exported.filter(([, of]) => of === undefined || of === service);
      const given = Object.fromEntries(own.map(([, , variable, value]) => [variable!, value]));
      const terminal = new Terminal(text, folder, { ...env, ...given, SEEDED_URL: seeded });
      if (untilItPrints) staying.push(terminal);
      await terminal.done(untilItPrints).catch(failing(name));
      if (!untilItPrints) await terminal.stop().catch(failing(name));
    }
  } finally {
    // Processes that use the services end before them.
    for (const terminal of staying.reverse()) await terminal.stop().catch(failing('the end of a scene'));
  }
  return failed;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
startCommand(process.env, (args, _env, streams) =>
  runCommand(CHECK, args, streams, async ({ args: [pages] }, { out }) => {
    const blocks = shellBlocks(workspaceTexts(ROOT).texts);
    const wanted = Object.entries(PLAN).filter(([name]) => {
      const { file } = blocks.get(name)!;
      return pages.length === 0 || pages.includes(file);
    });
    const folder = copyOfWorkspace();
    const failed: string[] = [];
    try {
      for (const scene of ['nothing', 'product', 'services'] as const) {
        const ofScene = wanted.filter(([, how]) => how.scene === scene);
        failed.push(...(await runScene(ofScene, blocks, folder)));
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    out(failed.length === 0 ? 'All of them work.\n' : `Failed: ${failed.join(', ')}\n`);
    return failed.length === 0 ? 0 : 1;
  }),
);
