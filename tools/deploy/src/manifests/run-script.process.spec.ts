import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { IJob } from 'kubernetes-models/batch/v1';

const SCRIPT = join(__dirname, '../../../../k8s/run.sh');

/** As kubectl answers for a cluster with one CronJob, whose pods take two looks to begin. */
const KUBECTL = `
const { readFileSync, writeFileSync, appendFileSync } = require('node:fs');
const args = process.argv.slice(2);
const [place, value] = args[0] === '--namespace' ? [args[1], args.slice(2)] : ['', args];
const after = (name) => value[value.indexOf(name) + 1];
const input = () => JSON.parse(readFileSync(0, 'utf8'));
const containers = [{ name: 'operations', args: ['main.js', '--check'] }];
const job = { kind: 'Job', metadata: { name: value[2] }, spec: { template: { spec: { containers } } } };
if (place !== 'evenkeel' && value[1] !== '--local') process.exit(9);
if (value[0] === 'create' && value[1] === 'job') {
  if (!value.includes('--from=cronjob/accounts-operations')) {
    console.error('Error from server (NotFound): cronjobs.batch not found');
    process.exit(1);
  }
  console.log(JSON.stringify(job));
} else if (value[0] === 'patch') {
  const made = input();
  for (const { op, path, value: put } of JSON.parse(after('--patch'))) {
    if (op !== 'add') process.exit(9);
    const keys = path.slice(1).split('/');
    keys.slice(0, -1).reduce((level, key) => level[key], made)[keys.at(-1)] = put;
  }
  console.log(JSON.stringify(made));
} else if (value[0] === 'create') {
  writeFileSync('job.json', JSON.stringify(input()));
} else if (value[0] === 'logs') {
  appendFileSync('looks', '.');
  const looks = readFileSync('looks', 'utf8').length;
  if (looks < 3) process.exit(1);
  console.log('2 to correct for accounts.');
} else if (value[0] === 'get') {
  appendFileSync('looks', '.');
  process.stdout.write(readFileSync('looks', 'utf8').length < 5 ? '' : '1');
}
else process.exit(9);
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-kubectl-'));
  writeFileSync(join(folder, 'kubectl.js'), KUBECTL);
  program('kubectl', '#!/bin/sh\n[ "$3" = logs ] && [ -e never ] && exit 1\nexec node kubectl.js "$@"\n');
  // Of the script, which waits a second between looks.
  program('sleep', '#!/bin/sh\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), 0o755);
}

function run(...args: string[]) {
  const env = { PATH: `${folder}${delimiter}${process.env.PATH}`, OPERATOR: 'Ada "L"' };
  const { status, stdout, stderr } = spawnSync('sh', [SCRIPT, ...args], { cwd: folder, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

it('runs what was typed in a job of the template, says its output, and ends with its exit code', () => {
  const typed = ['operations/main.js', 'find', 'a\\b"c $d@example.com'];
  expect(run('accounts-operations', ...typed)).toEqual({
    status: 1,
    stderr: '',
    stdout: '2 to correct for accounts.\n',
  });
  const { metadata, spec } = JSON.parse(readFileSync(join(folder, 'job.json'), 'utf8')) as IJob;
  expect(metadata?.name).toMatch(/^accounts-operations-\d{12}$/);
  const env = [{ name: 'OPERATOR', value: 'Ada "L"' }];
  expect(spec?.template.spec?.containers).toEqual([{ name: 'operations', args: typed, env }]);
});

it('says that a template is not there, and starts nothing', () => {
  const { status, stdout, stderr } = run('account-operations', 'main.js', '--check');
  expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('NotFound')]);
  expect(existsSync(join(folder, 'job.json'))).toBe(false);
});

it('names the job that does not begin', () => {
  writeFileSync(join(folder, 'never'), '');
  const { status, stderr } = run('accounts-operations', 'main.js', '--check');
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^It has not begun within two minutes\. See: kubectl .* describe job accounts-operations-\d+\n$/,
  );
});

it.each([[[]], [['accounts-operations']], [['--help', 'x']]])('explains itself when it is called with %p', (args) => {
  expect(run(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining('sh k8s/run.sh') as string });
});
