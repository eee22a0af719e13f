const PROGRESS_INTERVAL_MS = 15_000;

/** How far a run is, now and then. */
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
}

module.exports = Progress;
