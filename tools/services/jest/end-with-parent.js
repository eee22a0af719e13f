/** Loaded into every program that a test starts: when the test process is gone, however it ended, so is the program. */
process.on('disconnect', () => process.exit(1));
// The line to the parent alone is no reason to stay alive.
process.channel?.unref();
