import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { KubernetesObject } from './cluster';

const SCRIPT = join(__dirname, '../../../../k8s/run.sh');

/** As kubectl answers for a cluster with one CronJob, whose pods take some looks to begin. */
const KUBECTL = `
const { readFileSync, writeFileSync, appendFileSync } = require('node:fs');
const args = process.argv.slice(2);
const [namespace, typed] = args[0] === '--namespace' ? [args[1], args.slice(2)] : ['', args];
const input = () => JSON.parse(readFileSync(0, 'utf8'));
const looks = () => (appendFileSync('looks', '.'), readFileSync('looks', 'utf8').length);
const refuse = (text) => (console.error(text), process.exit(1));
if (namespace !== 'evenkeel' && typed[1] !== '--local') refuse('another namespace');
switch (typed[0] + (typed[1] === 'job' ? ' job' : '')) {
  case 'create job': {
    if (!typed.includes('--from=cronjob/accounts-operations')) refuse('Error from server (NotFound)');
    const containers = [{ name: 'operations', args: ['main.js', '--check'] }];
    console.log(JSON.stringify({ kind: 'Job', metadata: { name: typed[2] }, spec: { template: { spec: { containers } } } }));
    break;
  }
  case 'patch': {
    const made = input();
    for (const { path, value } of JSON.parse(typed[typed.indexOf('--patch') + 1])) {
      const keys = path.slice(1).split('/');
      keys.slice(0, -1).reduce((level, key) => level[key], made)[keys.at(-1)] = value;
    }
    console.log(JSON.stringify(made));
    break;
  }
  case 'create':
    writeFileSync('job.json', JSON.stringify(input()));
    break;
  case 'logs':
    if (looks() < 3) process.exit(1);
    console.log('2 to correct for accounts.');
    break;
  default:
    process.stdout.write(looks() < 5 ? '' : '1');
}
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-kubectl-'));
  writeFileSync(join(folder, 'kubectl.js'), KUBECTL);
  program('kubectl', '#!/bin/sh\nexec node kubectl.js "$@"\n');
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
  const said = { status: 1, stderr: '', stdout: '2 to correct for accounts.\n' };
  expect(run('accounts-operations', ...typed)).toEqual(said);
  const { metadata, spec } = JSON.parse(readFileSync(join(folder, 'job.json'), 'utf8')) as KubernetesObject;
  expect(metadata?.name).toMatch(/^accounts-operations-\d{12}$/);
  const env = [{ name: 'OPERATOR', value: 'Ada "L"' }];
  expect(spec).toEqual({ template: { spec: { containers: [{ name: 'operations', args: typed, env }] } } });
});

it('says that a template is not there, and starts nothing', () => {
  const stderr = expect.stringContaining('NotFound') as string;
  expect(run('account-operations', 'main.js', '--check')).toEqual({ status: 1, stdout: '', stderr });
  expect(existsSync(join(folder, 'job.json'))).toBe(false);
});

it.each([[[]], [['accounts-operations']], [['--help', 'x']]])('explains itself when it is called with %p', (args) => {
  expect(run(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining('sh k8s/run.sh') as string });
});
