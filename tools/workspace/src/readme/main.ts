import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { runCommand, startCommand, CommandLine } from '@evenkeel/platform/command-line';
import { workspaceTexts } from '../texts/workspace-texts';
import { shellBlocks } from './blocks';
import { PLAN, planned } from './plan';
import { runPlan } from './run-plan';

const ROOT = join(__dirname, '../../../..');

const CHECK = new CommandLine({
  call: 'npm run readme:check',
  about: `Runs the commands of all pages as a reader types them, in a copy of the workspace: with nothing there, beside npm start, beside
npm run services. Takes minutes; ports 8080, 8081, 8402 and 3000 must be free. tools/workspace/src/readme/plan.ts says what is
not run, and why.`,
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
  const all = planned(shellBlocks(workspaceTexts(ROOT).texts));
  const wanted = [...all].filter(([, { file }]) => pages.length === 0 || pages.includes(file));
  const folder = copyOfWorkspace();
  const { PATH } = process.env;
  try {
    const report = (line: string): void => write(`${line}\n`);
    const failures = await runPlan(new Map(wanted), PLAN, { folder, env: { PATH, HOME: homedir() }, report });
    write(failures.size === 0 ? 'All of them work.\n' : `Failed: ${[...failures.keys()].join(', ')}\n`);
    return failures.size === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A copy of the files that git has or would add, with links to the installed packages. */
function copyOfWorkspace(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'evenkeel-pages-')));
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const files = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e8 }).split('\0').filter(Boolean);
  for (const file of files) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  const [packages, ours] = [join(folder, 'node_modules'), join(folder, 'node_modules/@evenkeel')];
  mkdirSync(ours, { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '@evenkeel' && name !== '.cache') symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
  }
  const manifests = files.filter((file) => /^\w+\/[\w-]+\/package\.json$/.test(file));
  for (const manifest of manifests) {
    symlinkSync(join(folder, dirname(manifest)), join(ours, basename(dirname(manifest))));
  }
  // The database server may be another user.
  execFileSync('chmod', ['o+x', folder]);
  return folder;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
startCommand(process.env, (args, _env, streams) =>
  runCommand(CHECK, args, streams, async (pages, { out }) => ((await check(pages, out)) ? 0 : 1)),
);
