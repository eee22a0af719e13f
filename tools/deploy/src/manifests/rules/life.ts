import type { ICronJob, IJob } from 'kubernetes-models/batch/v1';
import { STAND_IN, type Container, type Pods } from '../cluster/cluster';
import { titleOf } from '../cluster/objects';
import type { Rule, Rules } from './rule';

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
