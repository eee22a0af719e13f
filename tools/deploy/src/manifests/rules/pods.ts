import { APP_NAMES } from '@evenkeel/contracts';
import { ownNodeOptions } from '@evenkeel/services';
import type { ICronJob, IJob } from 'kubernetes-models/batch/v1';
import type { INamespace, IServiceAccount } from 'kubernetes-models/v1';
import { type Cluster, type Container, OURS, type Pods, STAND_IN, titleOf } from '../cluster';
import type { Rule, Rules } from './rule';

/** The user that images of ours are made for. */
const USER = 10_001;
const UNITS: Readonly<Record<string, number>> = { '': 1, m: 1 / 1_000, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** What a pod may do on its node and in the cluster. */
export const POD_RULES = {
  'every namespace enforces the restricted profile': (cluster) =>
    [...new Set(cluster.pods.map(({ namespace }) => namespace))].flatMap((name) => {
      const labels = cluster.find<INamespace>('Namespace', name)?.metadata?.labels;
      const isRestricted = labels?.['pod-security.kubernetes.io/enforce'] === 'restricted';
      return isRestricted ? [] : [`Namespace ${name}: needs the label pod-security.kubernetes.io/enforce=restricted`];
    }),

  'a process runs as a numeric user that is not root': ofPods(({ namespace, spec: { securityContext = {} } }) => {
    const { runAsNonRoot, runAsUser = 0 } = securityContext;
    const isRight = runAsNonRoot === true && (namespace === OURS ? runAsUser === USER : runAsUser > 0);
    return !isRight && `needs runAsNonRoot and runAsUser ${namespace === OURS ? USER : 'of its image'}`;
  }),
  'the kernel takes only the usual calls': ofPods(
    ({ spec }) =>
      spec.securityContext?.seccompProfile?.type !== 'RuntimeDefault' && 'needs the seccomp profile RuntimeDefault',
  ),
  'a process gains no privileges': ofContainers(
    ({ securityContext: may }) =>
      (may?.allowPrivilegeEscalation !== false || may?.privileged === true) && 'needs allowPrivilegeEscalation: false',
  ),
  'a process has no capabilities': ofContainers(({ securityContext }) => {
    const { drop = [], add = [] } = securityContext?.capabilities ?? {};
    return (!drop.includes('ALL') || add.length > 0) && 'must drop ALL capabilities and add none';
  }),
  'the root file system is read-only, beside /tmp': ofContainers(
    ({ securityContext, volumeMounts = [] }, { spec: { volumes = [] } }) => {
      if (securityContext?.readOnlyRootFilesystem !== true) return 'needs readOnlyRootFilesystem';
      const tmp = volumeMounts.find(({ mountPath }) => mountPath === '/tmp')?.name;
      return !volumes.some(({ name, emptyDir }) => name === tmp && emptyDir) && 'needs an emptyDir at /tmp';
    },
  ),
  'a pod shares nothing with its node': ofPods(
    ({ spec: { hostNetwork, hostPID, hostIPC, volumes = [] } }) =>
      (hostNetwork === true || hostPID === true || hostIPC === true || volumes.some(({ hostPath }) => hostPath)) &&
      'must not use network, processes or files of its node',
  ),
  'a pod has no token of the cluster, and an account of its own service': (cluster) =>
    ofPods(({ app, namespace, spec }) => {
      const { serviceAccountName: name, automountServiceAccountToken } = spec;
      const account = cluster.find<IServiceAccount>('ServiceAccount', name, namespace);
      if (automountServiceAccountToken !== false || account?.automountServiceAccountToken !== false) {
        return 'needs automountServiceAccountToken: false, and so does its ServiceAccount';
      }
      return account.metadata?.labels?.['app.kubernetes.io/name'] !== app && `needs a ServiceAccount of ${app}`;
    })(cluster),
  'a container has requests and limits': ofContainers(({ resources: { requests = {}, limits = {} } = {} }) => {
    const amounts = ['cpu', 'memory'].map((name) => [amountOf(requests[name]), amountOf(limits[name])] as const);
    const isRight = amounts.every(([request, limit]) => request > 0 && limit >= request);
    return !isRight && 'needs requests of cpu and memory, and limits that are not below them';
  }),
  'a program starts as its image says': ofContainers(
    ({ command }) =>
      command !== undefined &&
      'has a command: programs are args, after the options of Node in the ENTRYPOINT of the image',
  ),
  'a program has the options of Node of its service': ofContainers(({ args = [] }, { app, kind }) => {
    if (kind !== 'Deployment' || !(APP_NAMES as readonly string[]).includes(app)) return false;
    const wanted = args.at(-1) === 'main.js' ? ownNodeOptions(app) : [];
    const given = args.slice(0, -1);
    return given.join(' ') !== wanted.join(' ') && `needs ${wanted.join(' ') || 'nothing'} before its program`;
  }),
  'production runs images by their digest': (cluster) =>
    ofContainers(
      ({ image = '' }, pods) =>
        cluster.isProduction(pods) && !/@sha256:[0-9a-f]{64}$/.test(image) && `the image ${image} has no digest`,
    )(cluster),
} satisfies Rules;

type Verdict = string | false;

function ofPods(verdictOf: (pods: Pods) => Verdict): Rule {
  return ({ pods }) =>
    pods.flatMap((each) => {
      const verdict = verdictOf(each);
      return verdict === false ? [] : [`${each.title}: ${verdict}`];
    });
}

function ofContainers(verdictOf: (container: Container, pods: Pods) => Verdict): Rule {
  return ({ pods }: Cluster) =>
    pods.flatMap((each) =>
      each.containers.flatMap((container) => {
        const verdict = verdictOf(container, each);
        return verdict === false ? [] : [`${each.title}, container ${container.name}: ${verdict}`];
      }),
    );
}

/** Of a quantity such as 250m or 192Mi; 0 where it is no such. */
function amountOf(quantity: string | number | undefined): number {
  const [, number = '0', unit = ''] = /^([\d.]+)([a-zA-Z]*)$/.exec(String(quantity)) ?? [];
  return Number(number) * (UNITS[unit] ?? 0);
}

/** Within so many seconds a process that got SIGTERM is gone. */
const EXIT_SECONDS = 15;
/** Long enough for balancers to hear that a pod goes. */
const PRE_STOP_SECONDS = 3;
/** A process waits so long for its schema before it listens. */
const SCHEMA_SECONDS = 60;
const DAY_SECONDS = 86_400;
const PROBES = {
  startupProbe: '/health/live',
  livenessProbe: '/health/live',
  readinessProbe: '/health/ready',
} as const;

/** How pods begin and end. */
export const LIFE_RULES = {
  'probes ask the internal port': ofDeployments((container) =>
    Object.entries(PROBES).flatMap(([name, path]) => {
      const ask = container[name as keyof typeof PROBES]?.httpGet;
      const isRight = ask?.path === path && ask.port === 'internal';
      return isRight ? [] : [`needs a ${name} of ${path} at the port internal`];
    }),
  ),
  'a pod has the time to wait for its migrations': ofDeployments(({ startupProbe }) => {
    const { periodSeconds = 10, failureThreshold = 3 } = startupProbe ?? {};
    const isLong = periodSeconds * failureThreshold > SCHEMA_SECONDS;
    return isLong ? [] : [`its startupProbe must wait for more than ${SCHEMA_SECONDS} s`];
  }),
  'a pod that answers goes on while balancers learn that it leaves': ofDeployments(({ lifecycle }, { component }) => {
    const seconds = lifecycle?.preStop?.sleep?.seconds ?? 0;
    return component !== 'http' || seconds >= PRE_STOP_SECONDS ? [] : ['needs a preStop that sleeps for 3 s or more'];
  }),
  'a pod has the time to finish': ofDeployments(({ lifecycle }, { spec }) => {
    const needed = (lifecycle?.preStop?.sleep?.seconds ?? 0) + EXIT_SECONDS;
    const given = spec.terminationGracePeriodSeconds ?? 0;
    return given > needed ? [] : [`terminationGracePeriodSeconds must be more than ${needed}`];
  }),
  'a job that fails is tried again, and ends': (cluster) =>
    cluster.all<IJob>('Job').flatMap((job) => {
      const { backoffLimit = 0, activeDeadlineSeconds = 0, template } = job.spec ?? {};
      const isRight = template?.spec?.restartPolicy === 'Never' && backoffLimit > 0 && activeDeadlineSeconds > 0;
      return isRight ? [] : [`${titleOf(job)}: needs restartPolicy Never, a backoffLimit and activeDeadlineSeconds`];
    }),
  'what operators start runs when they ask, once, and is kept for a day': (cluster) =>
    cluster.all<ICronJob>('CronJob').flatMap((template) => {
      const { suspend, jobTemplate } = template.spec!;
      const { backoffLimit, ttlSecondsAfterFinished = 0, template: pods } = jobTemplate.spec!;
      const isRight = suspend === true && backoffLimit === 0 && pods.spec?.restartPolicy === 'Never';
      return isRight && ttlSecondsAfterFinished >= DAY_SECONDS
        ? []
        : [`${titleOf(template)}: needs suspend, backoffLimit 0, restartPolicy Never, and a day to be read`];
    }),
} satisfies Rules;

function ofDeployments(sentences: (container: Container, pods: Pods) => string[]): Rule {
  return ({ pods }) =>
    pods
      .filter(({ kind, component }) => kind === 'Deployment' && component !== STAND_IN)
      .flatMap((each) =>
        each.containers.flatMap((container) =>
          sentences(container, each).map((sentence) => `${each.title}: ${sentence}`),
        ),
      );
}
