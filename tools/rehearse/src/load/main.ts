import { runCommand, startCommand } from '@evenkeel/platform/command-line';
import { LOAD, runLoad } from './run-load';
import { untilInterrupted } from './running';

startCommand(process.env, (args, env, streams) =>
  runCommand(LOAD, args, streams, (wanted, safe) => runLoad(wanted, env, safe, untilInterrupted())),
);
