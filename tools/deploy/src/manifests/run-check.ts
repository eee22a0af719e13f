import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BadUsage, CommandLine, type Streams, runCommand } from '@evenkeel/platform/command-line';
import type { ISecret } from 'kubernetes-models/v1';
import { Cluster } from './cluster';
import { objectsIn, render } from './kustomize/render';
import { check, placeholdersIn } from './rules';

const MANIFESTS = new CommandLine({
  call: 'sh tools/run.sh tools/deploy/src/manifests/main.ts',
  about: `Renders an overlay of k8s with kustomize and says what is wrong with it: members that no schema knows, names that lead
nowhere, settings that do not exist or are missing, and what is still to be replaced. Which Secrets are made elsewhere is said by
secrets.example.yaml of the overlay.`,
  usage: ['sh tools/run.sh tools/deploy/src/manifests/main.ts k8s/overlays/prod'],
  options: {},
  ends: 'Exit code 0 when nothing is wrong, 1 when something is, 2 when it was called wrongly.',
  takesArguments: true,
  read: (_none, [overlay, ...more]) => {
    if (overlay === undefined || more.length > 0) throw new BadUsage('Name one overlay.');
    if (!existsSync(join(overlay, 'kustomization.yaml')))
      throw new BadUsage(`There is no kustomization.yaml in ${overlay}.`);
    return { overlay };
  },
});

/** The rendered overlay, with the Secrets that its operator makes. */
export async function clusterOf(overlay: string): Promise<Cluster> {
  const secrets = join(overlay, 'secrets.example.yaml');
  const elsewhere = existsSync(secrets) ? objectsIn(await readFile(secrets, 'utf8')) : [];
  return new Cluster(await render(overlay), elsewhere as ISecret[]);
}

/** @returns the exit code */
export function runCheck(args: readonly string[], streams: Streams): Promise<number> {
  return runCommand(MANIFESTS, args, streams, async ({ overlay }, { out }) => {
    const cluster = await clusterOf(overlay);
    const broken = Object.entries(check(cluster));
    for (const [rule, sentences] of broken) out(`${rule}:\n${sentences.map((line) => `  ${line}\n`).join('')}`);
    const left = placeholdersIn(cluster.objects);
    if (left.length > 0) out(`to be replaced:\n${left.map((line) => `  ${line}\n`).join('')}`);
    if (broken.length === 0 && left.length === 0) out(`${cluster.objects.length} objects, nothing is wrong.\n`);
    return broken.length === 0 && left.length === 0 ? 0 : 1;
  });
}
