const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

/** Bytes in use once the collector has run. */
function liveBytes() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const ANSWERS = { cpu: () => process.cpuUsage(), liveBytes };

/** Loaded into every process of a run before its own code: plain JavaScript, as some of them are compiled programs. */
process.on('message', (question) => {
  if (question in ANSWERS) process.send(ANSWERS[question]());
});
// The process that started it is gone: so is the reason to run.
process.once('disconnect', () => process.exit());
// A program that has nothing more to do ends.
process.channel.unref();
