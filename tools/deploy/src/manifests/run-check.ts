import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BadUsage, CommandLine, type Streams, runCommand, text } from '@evenkeel/platform/command-line';
import type { ISecret } from 'kubernetes-models/v1';
import { Cluster } from './cluster';
import { ensureKustomize } from './kustomize/ensure-kustomize';
import { objectsIn, render } from './kustomize/render';
import { EDGE_RULES } from './rules/edge';
import { FLOW_RULES } from './rules/flows';
import { placeholdersIn } from './rules/placeholders';
import { LIFE_RULES, POD_RULES } from './rules/pods';
import { REFERENCE_RULES } from './rules/references';
import { REPLICA_RULES } from './rules/replicas';
import type { Rules } from './rules/rule';
import { SETTINGS_RULES } from './rules/settings';
import { againstSchema } from './schema';

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

const MANIFESTS = new CommandLine({
  call: 'sh tools/run.sh tools/deploy/src/manifests/main.ts',
  about: `Renders an overlay of k8s with kustomize and says what is wrong with it: members that no schema knows, names that lead
nowhere, settings that do not exist or are missing, flows without a policy, and what is still to be replaced.`,
  usage: ['sh tools/run.sh tools/deploy/src/manifests/main.ts k8s/overlays/prod'],
  options: {
    secrets: text({
      help: 'file that says which Secrets are made elsewhere',
      placeholder: 'file',
      otherwise: 'secrets.example.yaml of the overlay',
      matches: /./,
      must: 'be the name of a file.',
    }),
  },
  ends: 'Exit code 0 when nothing is wrong, 1 when something is, 2 when it was called wrongly.',
  takesArguments: true,
  read: ({ secrets }, [overlay, ...more]) => {
    if (overlay === undefined || more.length > 0) throw new BadUsage('Name one overlay.');
    if (!existsSync(join(overlay, 'kustomization.yaml')))
      throw new BadUsage(`There is no kustomization.yaml in ${overlay}.`);
    return { overlay, secrets: secrets ?? join(overlay, 'secrets.example.yaml') };
  },
});

/** @returns the exit code */
export function runCheck(args: readonly string[], streams: Streams): Promise<number> {
  return runCommand(MANIFESTS, args, streams, async ({ overlay, secrets }, { out }) => {
    const kustomize = await ensureKustomize();
    const objects = await render(kustomize, overlay);
    const elsewhere = existsSync(secrets) ? objectsIn(await readFile(secrets, 'utf8')) : [];
    const broken = Object.entries(check(new Cluster(objects, elsewhere as ISecret[])));
    for (const [rule, sentences] of broken) out(`${rule}:\n${sentences.map((line) => `  ${line}\n`).join('')}`);
    const places = placeholdersIn(objects);
    if (places.length > 0) out(`to be replaced:\n${places.map((line) => `  ${line}\n`).join('')}`);
    if (broken.length === 0 && places.length === 0) out(`${objects.length} objects, nothing is wrong.\n`);
    return broken.length === 0 && places.length === 0 ? 0 : 1;
  });
}
