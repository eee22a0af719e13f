import { runCommand, startCommand } from '@evenkeel/platform/command-line';
import { CLUSTER, runCluster } from './run-cluster';

startCommand(process.env, (args, env, streams) =>
  runCommand(CLUSTER, args, streams, (wanted, safe) => runCluster(wanted, env, safe)),
);
