import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BadUsage, CommandLine, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { clusterOf } from './cluster';
import { check, placeholdersIn } from './rules';

const MANIFESTS = new CommandLine({
  call: 'sh tools/run.sh tools/deploy/src/manifests/main.ts',
  about: `Renders an overlay of k8s with kustomize and says what is wrong with it: settings that do not exist or are
missing, secrets in plain text, and what is still to be replaced. Which Secrets are made elsewhere is said by
secrets.example.yaml of the overlay.`,
  usage: ['sh tools/run.sh tools/deploy/src/manifests/main.ts k8s/overlays/prod'],
  options: {},
  ends: 'Exit code 0 when nothing is wrong, 1 when something is, 2 when it was called wrongly.',
  takesArguments: true,
  read: (_none, [overlay = '', ...more]) => {
    if (!existsSync(join(overlay, 'kustomization.yaml')) || more.length > 0)
      throw new BadUsage('Name one overlay: a folder with a kustomization.yaml.');
    return overlay;
  },
});

startCommand(process.env, (args, _env, streams) =>
  runCommand(MANIFESTS, args, streams, async (overlay, { out }) => {
    const cluster = await clusterOf(overlay);
    const left = placeholdersIn(cluster.objects);
    const found = { ...check(cluster), ...(left.length > 0 && { 'to be replaced': left }) };
    for (const [rule, lines] of Object.entries(found)) out(`${rule}:\n${lines.map((line) => `  ${line}\n`).join('')}`);
    if (Object.keys(found).length > 0) return 1;
    out(`${cluster.objects.length} objects, nothing is wrong.\n`);
    return 0;
  }),
);
