import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { KubernetesObject } from './cluster';

const SCRIPT = join(__dirname, '../../../../k8s/run.sh');

/** As kubectl answers for a cluster with one CronJob, whose pods take some looks to begin. */
const KUBECTL = `#!/usr/bin/env node
const { readFileSync, writeFileSync, appendFileSync } = require('node:fs');
const typed = process.argv.slice(2).join(' ').replace(/^--namespace evenkeel /, '');
const looks = () => (appendFileSync('looks', '.'), readFileSync('looks', 'utf8').length);
const input = () => readFileSync(0, 'utf8');
if (typed.startsWith('create job')) {
  if (!typed.includes('--from=cronjob/accounts-operations')) throw new Error('NotFound');
  const containers = [{ args: ['main.js', '--check'] }];
  console.log(JSON.stringify({ metadata: { name: typed.split(' ')[2] }, spec: { template: { spec: { containers } } } }));
} else if (typed.startsWith('patch --local')) {
  const made = JSON.parse(input());
  for (const { path, value } of JSON.parse(process.argv[process.argv.indexOf('--patch') + 1]))
    made.spec.template.spec.containers[0][path.split('/').at(-1)] = value;
  console.log(JSON.stringify(made));
} else if (typed.startsWith('create --filename')) writeFileSync('job.json', input());
else if (typed.startsWith('logs')) looks() < 3 ? process.exit(1) : console.log('2 to correct for accounts.');
else if (typed.startsWith('get pods')) process.stdout.write(looks() < 5 ? '' : '1');
else throw new Error(typed);
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-kubectl-'));
  writeFileSync(join(folder, 'kubectl'), KUBECTL, { mode: 0o755 });
  // Of the script, which waits a second between looks.
  writeFileSync(join(folder, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true }));

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
  expect(spec).toEqual({ template: { spec: { containers: [{ args: typed, env }] } } });
});

it('says that a template is not there, and starts nothing', () => {
  const stderr = expect.stringContaining('NotFound') as string;
  expect(run('account-operations', 'main.js', '--check')).toEqual({ status: 1, stdout: '', stderr });
  expect(existsSync(join(folder, 'job.json'))).toBe(false);
});

it('explains itself to who names no program', () => {
  const stderr = expect.stringContaining('sh k8s/run.sh') as string;
  expect(run('accounts-operations')).toMatchObject({ status: 2, stderr });
});
