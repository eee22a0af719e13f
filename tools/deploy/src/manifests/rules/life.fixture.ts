import type { LIFE_RULES } from './life';
import { CONTAINER, HTTP, POD, WORKER, type SamplesOf } from './sample.fixture';

export const LIFE_SAMPLES: SamplesOf<typeof LIFE_RULES> = {
  'probes ask the internal port': [
    [/needs a readinessProbe/, [HTTP, `${CONTAINER}/readinessProbe`]],
    [/needs a livenessProbe/, [WORKER, `${CONTAINER}/livenessProbe/httpGet/path`, '/health/ready']],
    [/needs a startupProbe/, [HTTP, `${CONTAINER}/startupProbe/httpGet/port`, 'http']],
  ],
  'a pod has the time to wait for its migrations': [
    [/accounts-http: its startupProbe/, [HTTP, `${CONTAINER}/startupProbe/failureThreshold`, 20]],
  ],
  'a pod that answers goes on while balancers learn that it leaves': [
    [/accounts-http: needs a preStop/, [HTTP, `${CONTAINER}/lifecycle`]],
    [/accounts-http: needs a preStop/, [HTTP, `${CONTAINER}/lifecycle/preStop/sleep/seconds`, 1]],
  ],
  'a pod has the time to finish': [
    [/accounts-http: .* more than 20$/, [HTTP, `${POD}/terminationGracePeriodSeconds`, 20]],
    [/accounts-worker: .* more than 15$/, [WORKER, `${POD}/terminationGracePeriodSeconds`]],
  ],
  'a job that fails is tried again, and ends': [
    [/Job accounts-migrate: /, ['Job accounts-migrate', 'spec/backoffLimit', 0]],
    [/Job topics-create: /, ['Job topics-create', 'spec/activeDeadlineSeconds']],
  ],
  'what operators start runs when they ask, once, and is kept for a day': [
    [/CronJob accounts-operations: /, ['CronJob accounts-operations', 'spec/suspend']],
    [/CronJob accounts-events: /, ['CronJob accounts-events', 'spec/jobTemplate/spec/backoffLimit', 6]],
    [
      /CronJob accounts-events: /,
      ['CronJob accounts-events', 'spec/jobTemplate/spec/template/spec/restartPolicy', 'OnFailure'],
    ],
    [/CronJob billing-operations: /, ['CronJob billing-operations', 'spec/jobTemplate/spec/ttlSecondsAfterFinished']],
  ],
};
