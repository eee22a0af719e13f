const { availableParallelism } = require('node:os');

module.exports = {
  projects: ['<rootDir>/{apps,libs,tools}/*/jest.config.js'],
  testSequencer: require.resolve('./tools/services/jest/needed-services.js'),
  // Five seconds, as Jest has it, are too few for some on a busy machine.
  testTimeout: 30_000,
  // Many suites wait for processes of theirs, for Kafka, for a browser: others use the cores meanwhile.
  maxWorkers: availableParallelism() + 2,
};
