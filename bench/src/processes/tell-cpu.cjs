/** Loaded into every process of a run, ours included, before its own code: plain JavaScript, as one of them may be built. */
process.on('message', (question) => {
  if (question === 'cpu') process.send(process.cpuUsage());
});
// The process that started it is gone: so is the reason to run.
process.once('disconnect', () => process.exit());
