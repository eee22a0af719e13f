const { basename } = require('node:path');

/**
 * A worker of Jest that is done holds half a gigabyte. V8 takes that apart piece by piece, up to a second when four workers
 * do so on two cores, and after half a second Jest thinks that a suite has left something open. The kernel takes back the
 * whole at once, in half the time. Only an end that comes by itself: a worker that is told to exit keeps its exit code.
 */
if (basename(require.main?.filename ?? '') === 'processChild.js') {
  process.once('beforeExit', () => process.once('exit', () => process.kill(process.pid, 'SIGKILL')));
}
