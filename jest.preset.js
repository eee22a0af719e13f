const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const swc = JSON.parse(readFileSync(join(__dirname, '.swcrc'), 'utf8'));
/** Published as ES modules only: Jest on Node 20 cannot require them, so they are compiled like our own code. */
const esModules =
  '@nestjs|d3-[a-z-]+|internmap|file-type|strtok3|token-types|uint8array-extras|@tokenizer|load-esm|@borewit|cookie|jose|uuid|set-cookie-parser';

module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/src/**/*.{unit,int,e2e}.spec.ts'],
  transform: { '\\.(ts|js|mjs)$': ['@swc/jest', { ...swc, swcrc: false, sourceMaps: 'inline' }] },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules})/)`],
  testEnvironmentOptions: { customExportConditions: ['@evenkeel/source', 'node', 'require', 'default'] },
  // Once per call of jest, however many projects it runs: Jest tells equal paths apart from others.
  globalSetup: join(__dirname, 'tools/services/src/jest/global-setup.ts'),
  globalTeardown: join(__dirname, 'tools/services/src/jest/global-teardown.ts'),
  // For a run of this project alone, by nx; else the one of jest.config.js counts.
  testSequencer: join(__dirname, 'tools/services/jest/needed-services.js'),
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  collectCoverageFrom: ['<rootDir>/src/**/*.ts', '!**/*.{spec,fixture}.ts'],
};
