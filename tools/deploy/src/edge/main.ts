import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { CommandLine, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { WRITTEN_EDGES } from './written-edges';

const WRITE = new CommandLine({
  call: 'npm run edge:write',
  about: `Writes docker/edge/haproxy.cfg and k8s/base/edge/haproxy.cfg from the routes of libs/contracts. A test compares.`,
  options: {},
  read: () => ({}),
});

startCommand(process.env, (args, _env, streams) =>
  runCommand(WRITE, args, streams, (_none, { out }) => {
    for (const [file, made] of Object.entries(WRITTEN_EDGES)) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, made());
      out(`Wrote ${relative(process.cwd(), file)}.\n`);
    }
  }),
);
