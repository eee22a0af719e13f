import type { ISecret } from 'kubernetes-models/v1';
import { check, RULES, type RuleName } from './check';
import { Cluster } from './cluster/cluster';
import { unexplainedAddresses } from './rules/flows';
import { placeholdersIn } from './rules/placeholders';
import { EDGE_SAMPLES } from './rules/edge.fixture';
import { FLOW_SAMPLES } from './rules/flows.fixture';
import { LIFE_SAMPLES } from './rules/life.fixture';
import { POD_SAMPLES } from './rules/pods.fixture';
import { REFERENCE_SAMPLES } from './rules/references.fixture';
import { REPLICA_SAMPLES } from './rules/replicas.fixture';
import type { Change, Sample, SamplesOf } from './rules/sample.fixture';
import { SETTINGS_SAMPLES } from './rules/settings.fixture';
import { SCHEMA_SAMPLES } from './cluster/schema.fixture';
import { changed, renderVariants, secretsElsewhere, VARIANTS, type Rendered, type Variant } from './variants.fixture';

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

/** For each rule changes that break it. */
const SAMPLES: SamplesOf<typeof RULES> = {
  ...SCHEMA_SAMPLES,
  ...POD_SAMPLES,
  ...LIFE_SAMPLES,
  ...REFERENCE_SAMPLES,
  ...SETTINGS_SAMPLES,
  ...REPLICA_SAMPLES,
  ...EDGE_SAMPLES,
  ...FLOW_SAMPLES,
};
const samples = Object.entries(SAMPLES).flatMap(([rule, each]) =>
  each.map((sample) => {
    const [variant, says, ...changes] = namesVariant(sample)
      ? sample
      : (['prod with all components', ...sample] as const);
    return [rule as RuleName, says, variant, changes] as const;
  }),
);

function namesVariant(sample: Sample): sample is Extract<Sample, readonly [Variant, ...unknown[]]> {
  return typeof sample[0] === 'string';
}

it.each(samples)('%s: a sample breaks it, %p', (rule, says, variant, changes) => {
  expect(RULES[rule](clusterOf(variant, ...changes))).toContainEqual(expect.stringMatching(says));
});

it('each rule has a sample that breaks it', () => {
  expect(Object.keys(RULES).filter((rule) => SAMPLES[rule as RuleName].length === 0)).toEqual([]);
});
