const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const swc = JSON.parse(readFileSync(join(__dirname, '.swcrc'), 'utf8'));

module.exports = {
  // Packages are loaded once a worker: a realm for each suite that opens an app costs two to three seconds of a processor.
  runtime: join(__dirname, 'tools/services/jest/suite-runtime.js'),
  testEnvironment: join(__dirname, 'tools/services/jest/suite-environment.js'),
  setupFiles: [join(__dirname, 'tools/services/jest/test-size.js')],
  testMatch: ['<rootDir>/src/**/*.{unit,int,browser,process,e2e}.spec.ts'],
  transform: { '\\.(ts|js|mjs)$': ['@swc/jest', { ...swc, swcrc: false, sourceMaps: 'inline' }] },
  testEnvironmentOptions: {
    customExportConditions: ['@evenkeel/source', 'node', 'require', 'default'],
    // The environment itself clears what a suite leaves.
    globalsCleanup: 'off',
  },
  // Once per call of jest, however many projects it runs: Jest tells equal paths apart from others.
  globalSetup: join(__dirname, 'tools/services/src/jest/global-setup.ts'),
  globalTeardown: join(__dirname, 'tools/services/src/jest/global-teardown.ts'),
  // For a run of this project alone, by nx; else the one of jest.config.js is used.
  testSequencer: join(__dirname, 'tools/services/jest/needed-services.js'),
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  collectCoverageFrom: ['<rootDir>/src/**/*.ts', '!**/*.{spec,fixture}.ts'],
};
