import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { CommandLine, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { COMPOSE_FILE, composeEdge } from './compose-edge';

const WRITE = new CommandLine({
  call: 'npm run edge:write',
  about: `Writes docker/edge/haproxy.cfg, the edge of compose, from the routes of libs/contracts. A test compares.`,
  options: {},
  read: () => ({}),
});

startCommand(process.env, (args, _env, streams) =>
  runCommand(WRITE, args, streams, (_none, { out }) => {
    mkdirSync(dirname(COMPOSE_FILE), { recursive: true });
    writeFileSync(COMPOSE_FILE, composeEdge());
    out(`Wrote ${relative(process.cwd(), COMPOSE_FILE)}.\n`);
  }),
);
