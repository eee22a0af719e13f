import { runCommand, startCommand } from '@evenkeel/platform/command-line';
import { FAULTS, runFaults } from './run-faults';

startCommand(process.env, (args, env, streams) =>
  runCommand(FAULTS, args, streams, (wanted, safe) => runFaults(wanted, env, safe)),
);
