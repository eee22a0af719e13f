import { runCommand, startCommand } from '@evenkeel/platform/command-line';
import { untilInterrupted } from '../running';
import { runSoak, SOAK } from './run-soak';

startCommand(process.env, (args, env, streams) =>
  runCommand(SOAK, args, streams, (wanted, safe) => runSoak(wanted, env, safe, untilInterrupted())),
);
