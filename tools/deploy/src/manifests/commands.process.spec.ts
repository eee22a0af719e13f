import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APP_NAMES } from '@evenkeel/contracts';
import { parse } from 'yaml';
import { type Cluster, clusterOf, titleOf } from './cluster';
import { fits } from './flows.fixture';

const ROOT = join(__dirname, '../../../..');
const PAGE = readFileSync(join(ROOT, 'docs/operations/commands.md'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const { services } = parse(readFileSync(join(ROOT, 'docker/compose.yaml'), 'utf8'), {
  merge: true,
  maxAliasCount: -1,
}) as {
  services: Record<string, { image: string; build?: { args: { APP: string } }; command?: string[] }>;
};

let cluster: Cluster;
beforeAll(async () => {
  cluster = await clusterOf(join(ROOT, 'k8s/overlays/prod'));
}, 900_000);

/** A command in a checkout, after `npm run`; and what follows in its place elsewhere. */
interface Row {
  typed: string;
  compose: string;
  kubernetes: string;
}

const rows: Row[] = [...PAGE.matchAll(/^\| `([^`]+)` +\| `([^`]+)` +\| (?:the Job )?`([^`]+)` +\|$/gm)].map(
  ([, typed, compose, kubernetes]) => ({ typed: typed!, compose: compose!, kubernetes: kubernetes! }),
);

/** The project of a command, and its arguments in the image. */
function programOf(typed: string): { project: string; call: string } {
  const [script = '', given = ''] = typed.split(' -- ');
  if (script === 'doctor') return { project: `apps/${given}`, call: 'main.js --check' };
  const [, project = '', program = '', words = ''] = /(\S+)\/src\/(\S+)\.ts(.*)$/.exec(scripts[script] ?? '') ?? [];
  return { project, call: [`${program}.js`, ...`${words} ${given}`.split(' ').filter(Boolean)].join(' ') };
}

/** The faults of a row, a sentence for each. */
function problemsIn({ typed, compose, kubernetes }: Row): string[] {
  const { project, call } = programOf(typed);
  const [service = '', ...inCompose] = compose.split(' ');
  const { image = '', build, command = [] } = services[service] ?? {};
  const composed = inCompose.length > 0 ? inCompose : command;
  const [name = '', ...inCluster] = kubernetes.split(' ');
  const [container] = cluster.pods.find((pods) => pods.name === name)?.containers ?? [];
  const given = inCluster.length > 0 ? inCluster : (container?.args ?? []);
  return [
    ...(build?.args.APP === project ? [] : [`compose has no service ${service} with the image of ${project}`]),
    ...(composed.join(' ') === call ? [] : [`compose runs ${composed.join(' ')}, not ${call}`]),
    ...(container?.image?.includes(`/${image.replace(':local', '')}@`)
      ? []
      : [`no template ${name} has the image of ${project}`]),
    ...(given.join(' ') === call ? [] : [`Kubernetes runs ${given.join(' ')}, not ${call}`]),
  ].map((sentence) => `${typed}: ${sentence}`);
}

it('each command is the same program in a checkout, with compose and on Kubernetes', () => {
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.flatMap(problemsIn)).toEqual([]);
});

it('each service has its doctor, and each that reads events what brings them back', () => {
  const typed = rows.map((row) => row.typed);
  expect(typed).toEqual(expect.arrayContaining(APP_NAMES.map((app) => `doctor -- ${app}`)));
  for (const reader of cluster.pods.filter(({ component }) => component === 'events')) {
    const commands = ['replay', 'rebuild'].map((command) => `events:${command} -- ${reader.app}`);
    expect(typed).toEqual(expect.arrayContaining(commands));
  }
});

const release = readFileSync(join(ROOT, 'docs/operations/release.md'), 'utf8');

describe('an upgrade', () => {
  /** Titles of what a command of the page does not leave alone, or leaves alone. */
  function selected(command: string, chosen: boolean): string[] {
    const [, key = '', operator = '', values = ''] =
      new RegExp(`kubectl .*${command}.* --selector '(\\S+) (in|notin) \\(([^)]+)\\)'`).exec(release) ?? [];
    const expression = { key, operator: operator === 'in' ? 'In' : 'NotIn', values: values.split(', ') };
    return cluster.objects
      .filter(({ metadata }) => fits({ matchExpressions: [expression] }, metadata?.labels) === chosen)
      .map(titleOf);
  }

  it('deletes the jobs that it makes again, and nothing else, and waits for them before it asks the doctor', () => {
    const jobs = [...APP_NAMES.map((app) => `Job ${app}-migrate`), 'Job topics-create'];
    expect(selected('delete job', true).sort()).toEqual(jobs.sort());
    expect(selected('wait .*', true).sort()).toEqual(jobs.sort());
    expect(release).toMatch(/apply --selector [^]+ wait [^]+ main.js --check/);
  });

  it('applies all but the processes before it asks the doctor', () => {
    const processes = [
      ...APP_NAMES.flatMap((app) => ['http', 'worker'].map((half) => `Deployment ${app}-${half}`)),
      'Deployment edge',
    ];
    const later = selected('apply', false).filter((title) => title.startsWith('Deployment'));
    expect(later.sort()).toEqual(processes.sort());
  });
});

it('a stop of all workers says how those stay stopped that KEDA would start again', () => {
  const text = readFileSync(join(ROOT, 'k8s/components/keda/accounts-worker.yaml'), 'utf8');
  const { kind, metadata } = parse(text) as { kind: string; metadata: { name: string } };
  const paused = `annotate ${kind.toLowerCase()} ${metadata.name} autoscaling.keda.sh/paused-replicas`;
  expect(release).toContain(`${paused}=0\n`);
  expect(release).toContain(`${paused}-\n`);
});
