module.exports = {
  projects: ['<rootDir>/{apps,libs,tools}/*/jest.config.js', '<rootDir>/bench/jest.config.js'],
  testSequencer: require.resolve('./tools/services/jest/needed-services.js'),
  // Jest would leave one core to itself, and many suites wait for processes of theirs.
  maxWorkers: '100%',
};
