import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minutes, runSteps, withoutScript } from './run-steps';
import type { Step } from './steps';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'evenkeel-steps-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const CLUSTER = `process.on('SIGINT', () => { require('fs').writeFileSync('ended', ''); process.exit(0); });
  console.log('Evenkeel runs at here'); setInterval(() => 0, 1000);`;

async function ran(scripts: Record<string, string>, steps: readonly Partial<Step>[]) {
  for (const [name, code] of Object.entries(scripts)) writeFileSync(join(root, `${name}.js`), code);
  const named = Object.keys(scripts).map((name) => [name, `node ${name}.js`]);
  writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts: Object.fromEntries(named) }));
  const told: string[] = [];
  const { PATH, HOME } = process.env;
  const results = await runSteps(
    steps.map((step) => ({ about: 'something', ...step }) as Step),
    { root, outputFolder: join(root, 'output'), env: { PATH, HOME }, report: (line) => void told.push(line) },
  );
  return { told: told.join('\n'), verdicts: results.map(({ verdict }) => verdict) };
}

it('goes on when one has failed, says its last lines, and keeps all it printed', async () => {
  const scripts = { bad: `console.error('the edge is gone'); process.exit(1);`, good: `console.log(process.argv[2]);` };
  const steps = [
    { name: 'first', script: 'bad' },
    { name: 'second', script: 'good', args: ['--rounds'] },
  ];
  const { told, verdicts } = await ran(scripts, steps);
  expect(verdicts).toEqual(['FAILED', 'holds']);
  expect(told).toMatch(/first: FAILED, after 0:\d\d/);
  expect(told).toContain('the edge is gone');
  expect(readFileSync(join(root, 'output/second.log'), 'utf8')).toBe('--rounds\n');
});

it('tells a check that has nothing to check yet from one that holds, and from one that fails', async () => {
  const scripts = { release: `console.error('no release'); process.exit(3);`, bad: `process.exit(3);` };
  const { told, verdicts } = await ran(scripts, [
    { name: 'compat', script: 'release', nothingYet: 3 },
    { name: 'other', script: 'bad' },
  ]);
  expect(verdicts).toEqual(['nothing yet', 'FAILED']);
  expect(told).toMatch(/no release\ncompat: nothing yet, after 0:\d\d/);
});

it('starts what a check is run against, and ends it afterwards', async () => {
  const { verdicts } = await ran({ cluster: CLUSTER, journeys: `process.exit(0)` }, [
    { name: 'journeys', script: 'journeys', against: 'cluster' },
  ]);
  expect(verdicts).toEqual(['holds']);
  expect(readFileSync(join(root, 'ended'), 'utf8')).toBe('');
});

it('fails a check whose surroundings do not start, and a script that is not there', async () => {
  const { verdicts, told } = await ran({ cluster: `console.error('no Java'); process.exit(1);` }, [
    { name: 'journeys', script: 'journeys', against: 'cluster' },
    { name: 'lost', script: 'lost' },
  ]);
  expect(verdicts).toEqual(['FAILED', 'FAILED']);
  expect(told).toContain('no Java');
});

it('finds checks that have no script', () => {
  const steps: Step[] = [
    { name: 'model', about: '', script: 'model' },
    { name: 'journeys', about: '', script: 'journeys', against: 'cluster' },
  ];
  const named = (scripts: Record<string, string>) => withoutScript(steps, scripts).map(({ name }) => name);
  expect(named({ model: '', journeys: '', cluster: '' })).toEqual([]);
  expect(named({ journeys: '' })).toEqual(['model', 'journeys']);
});

it('writes times as people do', () => {
  expect([minutes(7), minutes(187)]).toEqual(['0:07', '3:07']);
});
