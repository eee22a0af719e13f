import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, startCommand, CommandLine } from '@evenkeel/platform/command-line';
import { workspaceTexts } from '../texts/workspace-texts';
import { shellBlocks } from './plan';
import { runPlan } from './run-plan';

const ROOT = join(__dirname, '../../../..');

const CHECK = new CommandLine({
  call: 'npm run readme:check',
  about: `Runs the commands of all pages as a reader types them, in a copy of the workspace: with nothing there, beside npm start, beside
npm run services. Takes minutes; ports 8080, 8081, 8402 and 3000 must be free. tools/workspace/src/readme/plan.ts says which are
run.`,
  usage: [
    'npm run readme:check                             # all of them',
    'npm run readme:check -- README.md docs/people.md',
  ],
  options: {},
  takesArguments: true,
  read: (_values, pages) => pages,
  ends: 'Exit code 1 when a block fails.',
});

async function check(pages: readonly string[], write: (text: string) => void): Promise<boolean> {
  const all = shellBlocks(workspaceTexts(ROOT).texts);
  const wanted = [...all].filter(([, { file }]) => pages.length === 0 || pages.includes(file));
  const folder = copyOfWorkspace();
  const { PATH } = process.env;
  try {
    const report = (line: string): void => write(`${line}\n`);
    const failed = await runPlan(new Map(wanted), { folder, env: { PATH, HOME: homedir() }, report });
    write(failed.length === 0 ? 'All of them work.\n' : `Failed: ${failed.join(', ')}\n`);
    return failed.length === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
startCommand(process.env, (args, _env, streams) =>
  runCommand(CHECK, args, streams, async (pages, { out }) => ((await check(pages, out)) ? 0 : 1)),
);
