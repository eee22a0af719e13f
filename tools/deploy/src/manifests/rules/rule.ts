import type { Cluster } from '../cluster';

/** Sentences about what breaks a rule, each beginning with the object; none when it holds. */
export type Rule = (cluster: Cluster) => string[];
/** Rules by what they ask for. */
export type Rules = Readonly<Record<string, Rule>>;
