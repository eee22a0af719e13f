import type { EDGE_RULES } from './edge';
import { CONFIG, type SamplesOf } from './sample.fixture';

export const EDGE_SAMPLES: SamplesOf<typeof EDGE_RULES> = {
  'the edge sends each path of the route table to its owner, and nothing else': [
    [/\/v1\/auth -> accounts-http is missing/, ['HTTPRoute accounts', 'spec/rules/0/matches/0']],
    [/\/v1\/auth -> billing-http is not/, ['HTTPRoute accounts', 'spec/rules/0/backendRefs/0/name', 'billing-http']],
    [
      /\/dev\/mails -> accounts-http is not/,
      ['HTTPRoute accounts', 'spec/rules/0/matches/4', { path: { type: 'PathPrefix', value: '/dev/mails' } }],
    ],
  ],
  'the edge takes paths and what lies below them': [
    ['prod', /Ingress edge: /, ['Ingress edge', 'spec/rules/0/http/paths/0/pathType', 'Exact']],

    [/HTTPRoute accounts: \/v1\/auth must be/, ['HTTPRoute accounts', 'spec/rules/0/matches/0/path/type', 'Exact']],
  ],
  'the edge of production has the name of the base URL, and TLS': [
    ['prod', /Ingress edge: /, ['Ingress edge', 'spec/rules/0/host', 'api.example.org']],
    ['prod', /Ingress edge: /, ['Ingress edge', 'spec/tls']],
  ],
  'the certificate that an alert is about is looked at': [
    [/PrometheusRule evenkeel-platform: no Probe looks at https:/, ['Probe edge', '']],
    [/no Probe looks at https:/, ['Probe edge', 'spec/targets/staticConfig/static/0', 'https://example.org/']],
  ],
  'a process trusts the address that one proxy tells, the edge': [
    [/accounts-http: TRUSTED_PROXY_HOPS/, [CONFIG, 'data/TRUSTED_PROXY_HOPS', '2']],
  ],
};
