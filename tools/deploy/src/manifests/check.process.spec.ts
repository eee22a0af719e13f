import type { ISecret } from 'kubernetes-models/v1';
import { check, RULES, type RuleName } from './run-check';
import { Cluster } from './cluster';
import { unexplainedAddresses } from './rules/flows';
import { placeholdersIn } from './rules/placeholders';
import {
  changed,
  renderVariants,
  secretsElsewhere,
  VARIANTS,
  type Change,
  type Rendered,
  type Variant,
} from './variants.fixture';

let rendered: Rendered;
let elsewhere: ISecret[];
beforeAll(async () => {
  rendered = await renderVariants();
  elsewhere = await secretsElsewhere();
}, 900_000);

const names = Object.keys(VARIANTS) as Variant[];
const clusterOf = (variant: Variant, ...changes: readonly Change[]) =>
  new Cluster(changed(rendered[variant], ...changes), elsewhere);

it.each(names)('all rules hold for %s', (variant) => expect(check(clusterOf(variant))).toEqual({}));

it('every address among the settings is a call or a link', () => expect(unexplainedAddresses()).toEqual([]));

it('the overlay for production says what to replace, that for trials needs nothing', () => {
  const places = placeholdersIn(rendered.prod).map((sentence) => sentence.replace(/:.*? has /, ' '));
  expect(
    [
      ...new Set(places.map((place) => place.replace(/^(ConfigMap .*)-[a-z0-9]{10} /, '$1 ').replace(/: .*/, ''))),
    ].sort(),
  ).toEqual([
    'ConfigMap accounts-config a name of example.com',
    'ConfigMap agent-gateway-config a name of example.com',
    'ConfigMap agent-gateway-config the address zero',
    'ConfigMap billing-config a name of example.com',
    'ConfigMap billing-config the name of no price',
    'ConfigMap reporting-config a name of example.com',
    ...[
      ...['accounts-events', 'accounts-operations', 'agent-gateway-operations', 'billing-events', 'billing-operations'],
      ...['reporting-events', 'reporting-operations'],
    ].flatMap((template) => [`CronJob ${template} a digest of zeros`, `CronJob ${template} a name of example.com`]),
    ...['accounts', 'agent-gateway', 'billing', 'reporting'].flatMap((app) =>
      ['http', 'worker'].flatMap((half) => [
        `Deployment ${app}-${half} a digest of zeros`,
        `Deployment ${app}-${half} a name of example.com`,
      ]),
    ),
    'Ingress edge a name of example.com',
    ...['accounts-migrate', 'agent-gateway-migrate', 'billing-migrate', 'reporting-migrate', 'topics-create'].flatMap(
      (job) => [`Job ${job} a digest of zeros`, `Job ${job} a name of example.com`],
    ),
  ]);
  expect(placeholdersIn(rendered.dev)).toEqual([]);
  const monitored = placeholdersIn(rendered['prod with monitoring']).filter((place) => place.startsWith('Probe'));
  expect(monitored).toEqual([expect.stringMatching(/^Probe edge: spec\.targets\..* has a name of example\.com/)]);
});

const HTTP = 'Deployment accounts-http';
const POD = 'spec/template/spec';
const CONTAINER = `${POD}/containers/0`;
const CONFIG = 'ConfigMap accounts-config';

/** Offences against access and data: production with all components, changed, breaks the rule. */
const OFFENCES: [rule: RuleName, says: RegExp, ...Change[]][] = [
  ['every object is as its schema says', /imag is no member/, [HTTP, `${CONTAINER}/imag`, 'evenkeel/accounts']],
  ['every namespace denies what no policy allows', /evenkeel/, ['NetworkPolicy deny-all', 'spec/egress', [{}]]],
  [
    'a process may call what its settings name, and nothing else',
    /accounts-http: may call database of billing:5432 by a policy/,
    ['NetworkPolicy billing-to-database', 'spec/podSelector/matchLabels', {}],
  ],
  [
    'a process is called by those that have a reason, and by nobody else',
    /accounts-http: may be called by edge:internal by a policy/,
    ['NetworkPolicy from-edge', 'spec/ingress/0/ports/1', { port: 'internal' }],
  ],
  ['a process runs as a numeric user that is not root', /needs/, [HTTP, `${POD}/securityContext/runAsUser`, 0]],
  ['a process gains no privileges', /accounts-http/, [HTTP, `${CONTAINER}/securityContext/privileged`, true]],
  ['secrets come from files alone', /SMTP_URL is a secret/, [CONFIG, 'data/SMTP_URL', 'none']],
  [
    'the edge sends each path of the route table to its owner, and nothing else',
    /\/dev\/mails -> accounts-http is not/,
    ['HTTPRoute accounts', 'spec/rules/0/matches/4', { path: { type: 'PathPrefix', value: '/dev/mails' } }],
  ],
];

it.each(OFFENCES)('%s: a change that breaks it is found', (rule, says, ...changes) => {
  const found = RULES[rule](clusterOf('prod with all components', ...changes));
  expect(found).toContainEqual(expect.stringMatching(says));
});
