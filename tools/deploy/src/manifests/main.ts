import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { clusterOf } from './cluster';
import { check, placeholdersIn } from './rules';

const MANIFESTS = new Command('sh tools/run.sh tools/deploy/src/manifests/main.ts')
  .description(
    `Renders an overlay of k8s with kustomize and says what is wrong with it: settings that do not exist or are
missing, secrets in plain text, and what is still to be replaced. Which Secrets are made elsewhere is said by
secrets.example.yaml of the overlay.`,
  )
  .argument('<overlay>', 'such as k8s/overlays/prod', (folder) => {
    if (existsSync(join(folder, 'kustomization.yaml'))) return folder;
    throw new InvalidArgumentError('It must be a folder with a kustomization.yaml.');
  })
  .addHelpText('after', '\nExit code 0 when nothing is wrong, 1 when something is, 2 when it was called wrongly.');

startCommand(process.env, (args, _env, streams) =>
  runCommand(MANIFESTS, args, streams, async ({ args: [overlay] }, { out }) => {
    const cluster = await clusterOf(overlay);
    const left = placeholdersIn(cluster.objects);
    const found = { ...check(cluster), ...(left.length > 0 && { 'to be replaced': left }) };
    for (const [rule, lines] of Object.entries(found)) out(`${rule}:\n${lines.map((line) => `  ${line}\n`).join('')}`);
    if (Object.keys(found).length > 0) return 1;
    out(`${cluster.objects.length} objects, nothing is wrong.\n`);
    return 0;
  }),
);
