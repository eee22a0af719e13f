const { readFileSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Finds out which services a run needs: a suite gets those whose name is in its text. Jest asks for the order of the
 * suites just before the set-up, in the same process, and nothing else there knows which suites will run. It is
 * JavaScript because Jest does not compile its sequencer.
 */
class NeededServices extends Sequencer {
  sort(tests) {
    const suites = tests.filter(({ path }) => /\.(int|e2e)\.spec\.ts$/.test(path));
    const text = suites.map(({ path }) => readFileSync(path, 'utf8')).join('\n');
    process.evenkeelNeededServices = ['redis', 'kafka'].filter((name) => text.toLowerCase().includes(name));
    return super.sort(tests);
  }
}

module.exports = NeededServices;
