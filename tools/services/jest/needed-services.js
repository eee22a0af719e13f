const { readFileSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Finds out which services a run needs: Redis and Kafka where a suite has their name in its text, a browser for a suite of
 * that tier. Jest asks for the order of the suites just before the set-up, in the same process, and nothing else there knows
 * which suites will run. It is JavaScript because Jest does not compile its sequencer.
 */
class NeededServices extends Sequencer {
  sort(tests) {
    process.evenkeelNeededServices = neededBy(new Map(tests.map(({ path }) => [path, readFileSync(path, 'utf8')])));
    return super.sort(tests);
  }
}

/** @param texts of suites, by their paths */
function neededBy(texts) {
  const text = [...texts].flatMap(([path, its]) => (path.endsWith('.unit.spec.ts') ? [] : its)).join('\n');
  const named = ['redis', 'kafka'].filter((name) => text.toLowerCase().includes(name));
  // Many suites speak of browsers, and these open one.
  const opensBrowser = [...texts.keys()].some((path) => path.endsWith('.browser.spec.ts'));
  return opensBrowser ? [...named, 'browser'] : named;
}

module.exports = NeededServices;
