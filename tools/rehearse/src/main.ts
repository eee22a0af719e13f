import { runCommand, startCommand } from '@evenkeel/platform/command-line';
import { CLUSTER, runCluster } from './cluster/run-cluster';
import { COMPAT, runCompat } from './compat';
import { FAULTS, runFaults } from './faults/run-faults';
import { LOAD, runLoad, SOAK } from './load/run-load';
import { RESTORE, runRestore } from './restore/run-restore';

startCommand(process.env, ([command, ...args], env, streams) => {
  switch (command) {
    case 'cluster':
      return runCommand(CLUSTER, args, streams, (wanted, safe) => runCluster(wanted, env, safe));
    case 'compat':
      return runCommand(COMPAT, args, streams, (wanted, safe) => runCompat(wanted, env, safe));
    case 'faults':
      return runCommand(FAULTS, args, streams, (wanted, safe) => runFaults(wanted, env, safe));
    case 'load':
      return runCommand(LOAD, args, streams, (wanted, safe) => runLoad(wanted, env, safe));
    case 'soak':
      return runCommand(SOAK, args, streams, (wanted, safe) => runLoad(wanted, env, safe));
    default:
      return runCommand(RESTORE, args, streams, (wanted, safe) => runRestore(wanted, env, safe));
  }
});
