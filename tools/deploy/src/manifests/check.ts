import { Cluster } from './cluster/cluster';
import { againstSchema } from './cluster/schema';
import { EDGE_RULES } from './rules/edge';
import { FLOW_RULES } from './rules/flows';
import { LIFE_RULES } from './rules/life';
import { POD_RULES } from './rules/pods';
import { REFERENCE_RULES } from './rules/references';
import { REPLICA_RULES } from './rules/replicas';
import type { Rules } from './rules/rule';
import { SETTINGS_RULES } from './rules/settings';

/** All rules by what they ask for. */
export const RULES = {
  'every object is as its schema says': ({ objects }) => objects.flatMap(againstSchema),
  ...POD_RULES,
  ...LIFE_RULES,
  ...REFERENCE_RULES,
  ...SETTINGS_RULES,
  ...REPLICA_RULES,
  ...EDGE_RULES,
  ...FLOW_RULES,
} satisfies Rules;

export type RuleName = keyof typeof RULES;

/** What breaks which rule; empty when all hold. */
export function check(cluster: Cluster): Partial<Record<RuleName, string[]>> {
  const broken = Object.entries(RULES).map(([name, rule]) => [name, rule(cluster)] as const);
  return Object.fromEntries(broken.filter(([, sentences]) => sentences.length > 0));
}
