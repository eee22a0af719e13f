const { join } = require('node:path');

const PROGRESS_INTERVAL_MS = 15_000;
const SHOWN = 10;
const ROOT = join(__dirname, '../../../');

/** How far a run is, now and then, and at its end the suites that took longest. */
class Progress {
  onRunStart({ numTotalTestSuites }) {
    this.total = numTotalTestSuites;
    this.began = performance.now();
    this.printed = this.began;
  }

  onTestResult(_test, _result, { numFailedTestSuites, numPassedTestSuites }) {
    const now = performance.now();
    if (now - this.printed < PROGRESS_INTERVAL_MS) return;
    this.printed = now;
    const ended = numFailedTestSuites + numPassedTestSuites;
    const seconds = Math.round((now - this.began) / 1000);
    console.error(`${ended} of ${this.total} suites after ${seconds} s, ${numFailedTestSuites} failed.`);
  }

  onRunComplete(_contexts, { testResults }) {
    if (testResults.length <= SHOWN) return;
    const slowest = testResults
      .map(({ testFilePath, perfStats }) => ({ file: testFilePath, seconds: perfStats.runtime / 1000 }))
      .sort((one, other) => other.seconds - one.seconds)
      .slice(0, SHOWN);
    const lines = slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file.slice(ROOT.length)}`);
    console.error(`\nThe slowest suites:\n${lines.join('\n')}`);
  }
}

module.exports = Progress;
