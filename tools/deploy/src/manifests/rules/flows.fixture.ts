import type { FLOW_RULES } from './flows';
import { type SamplesOf } from './sample.fixture';

export const FLOW_SAMPLES: SamplesOf<typeof FLOW_RULES> = {
  'every namespace denies what no policy allows': [
    [/^Namespace evenkeel/, ['NetworkPolicy deny-all', 'spec/egress', [{}]]],
    [/^Namespace evenkeel/, ['NetworkPolicy deny-all', 'spec/policyTypes', ['Ingress']]],
  ],
  'a process may call what its settings name, and nothing else': [
    [/accounts-http: may call database of accounts:5432, but no/, ['NetworkPolicy accounts-to-database', '']],
    [
      /accounts-http: may call database of billing:5432 by a policy/,
      ['NetworkPolicy billing-to-database', 'spec/podSelector/matchLabels', {}],
    ],
    [/accounts-worker: may call outside:587, but no/, ['NetworkPolicy accounts-to-mail', 'spec/egress/0/ports/1']],
    [/accounts-http: may call anybody:any by a policy/, ['NetworkPolicy to-redis', 'spec/egress', [{}]]],
    [
      /billing-http: may call 0\.0\.0\.0\/0:443 by a policy/,
      ['NetworkPolicy billing-to-stripe', 'spec/egress/0/to/0/ipBlock/except'],
    ],
    [
      /reporting-http: may call outside:443 by a policy/,
      ['NetworkPolicy billing-to-stripe', 'spec/podSelector/matchLabels/app.kubernetes.io~1name', 'reporting'],
    ],
    [/topics-create: may call dns:53\/TCP, but no/, ['NetworkPolicy to-dns', 'spec/egress/0/ports/1']],
    [/billing-http: may call accounts-http:http, but no/, ['NetworkPolicy billing-to-accounts', '']],
    [
      /CronJob accounts-operations: may call kafka:9092, but no/,
      ['NetworkPolicy to-kafka', 'spec/podSelector/matchExpressions/0/values', ['worker', 'topics']],
    ],
    [
      /CronJob accounts-operations: may call outside:465, but no/,
      ['NetworkPolicy accounts-to-mail', 'spec/podSelector/matchExpressions/0/values', ['worker']],
    ],
    [
      /CronJob accounts-operations: may call redis:6379, but no/,
      ['NetworkPolicy to-redis', 'spec/podSelector/matchExpressions/0/values', ['http']],
    ],
    [
      /CronJob billing-operations: may call accounts-http:http, but no/,
      ['NetworkPolicy billing-to-accounts', 'spec/podSelector/matchExpressions/0/values', ['http']],
    ],
    [
      /CronJob accounts-events: may call kafka:9092 by a policy/,
      ['NetworkPolicy to-kafka', 'spec/podSelector/matchExpressions/0/values/3', 'events'],
    ],
  ],
  'a process is called by those that have a reason, and by nobody else': [
    [/accounts-http: may be called by edge:http, but no/, ['NetworkPolicy from-edge', '']],
    [
      /accounts-http: may be called by edge:internal by a policy/,
      ['NetworkPolicy from-edge', 'spec/ingress/0/ports/1', { port: 'internal' }],
    ],
    [/accounts-http: may be called by billing-http:http, but no/, ['NetworkPolicy accounts-from-billing', '']],
    [
      /accounts-http: may be called by billing-operations:http, but no/,
      ['NetworkPolicy accounts-from-billing', 'spec/ingress/0/from/0/podSelector/matchExpressions/0/values', ['http']],
    ],
    [
      /accounts-worker: may be called by prometheus:internal, but no/,
      ['NetworkPolicy from-prometheus', 'spec/podSelector/matchExpressions/0/values', ['http']],
    ],
    [/accounts-http: may be called by anybody:http by a policy/, ['NetworkPolicy from-edge', 'spec/ingress/0/from']],
  ],
  'what stands in for others is called by those that it stands in for, and calls nobody else': [
    [
      'dev',
      /Deployment facilitator: may be called by agent-gateway-worker:http, but no/,
      ['NetworkPolicy facilitator-from-agent-gateway', ''],
    ],
    [
      'dev',
      /Deployment stripe: may be called by billing-operations:http, but no/,
      [
        'NetworkPolicy stripe-from-billing',
        'spec/ingress/0/from/0/podSelector/matchExpressions/0/values',
        ['http', 'worker'],
      ],
    ],
    [
      'dev',
      /Deployment stripe: may call accounts-http:http by a policy/,
      ['NetworkPolicy stripe-to-billing', 'spec/egress/0/to/0/podSelector/matchLabels', {}],
    ],
  ],
  'a server is called by those whose settings name it, and by nobody else': [
    [/database of accounts: may be called by accounts-http:5432, but no/, ['NetworkPolicy database-from-accounts', '']],
    [
      /database of accounts: may be called by billing-http:5432 by a policy/,
      ['NetworkPolicy database-from-accounts', 'spec/ingress/0/from/0/podSelector/matchLabels', {}],
    ],
    [
      /redis: may be called by accounts-http:6379, but no/,
      ['NetworkPolicy redis-from-http', 'spec/ingress/0/ports/0/port', 6380],
    ],
    [
      /database of billing: may be called by billing-events:5432, but no/,
      [
        'NetworkPolicy database-from-billing',
        'spec/ingress/0/from/0/podSelector/matchExpressions/0/values',
        ['http', 'worker', 'migrate', 'operations'],
      ],
    ],
    [
      /kafka: may be called by topics-create:9092, but no/,
      ['NetworkPolicy kafka-from-workers', 'spec/ingress/0/from/0/podSelector/matchExpressions/0/values', ['worker']],
    ],
  ],
};
