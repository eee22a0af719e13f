import { startCommand } from '@evenkeel/platform/command-line';
import { cluster } from './cluster/run-cluster';
import { compat } from './compat';
import { faults } from './faults/run-faults';
import { load, soak } from './load/run-load';
import { restore } from './restore/run-restore';

const COMMANDS = { cluster, compat, faults, load, soak, restore };

startCommand(process.env, ([name, ...args], env, streams) =>
  COMMANDS[name as keyof typeof COMMANDS](args, env, streams),
);
