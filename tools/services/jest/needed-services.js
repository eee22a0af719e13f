const { readFileSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Finds out which services a run needs: Redis and Kafka where a suite has their name in its text, a browser for a suite of
 * that tier, and compiled programs where a suite names what starts one. Jest asks for the order of the suites just before the set-up, in the same process, and nothing
 * else there knows which suites will run. It is JavaScript because Jest does not compile its sequencer.
 */
class NeededServices extends Sequencer {
  sort(tests) {
    const texts = new Map(tests.map(({ path }) => [path, readFileSync(path, 'utf8')]));
    Object.assign(process, neededBy(texts));

    const sorted = super.sort(tests);
    // Jest knows how long they took before. In a fresh clone it goes by size, and the longest may come last and alone.
    const isNew = sorted.every(({ duration }) => duration === undefined);
    return isNew ? sorted.sort((one, other) => limitMs(texts.get(other.path)) - limitMs(texts.get(one.path))) : sorted;
  }
}

/** @param texts of suites, by their paths */
function neededBy(texts) {
  const text = [...texts].flatMap(([path, its]) => (path.endsWith('.unit.spec.ts') ? [] : its)).join('\n');
  const named = ['redis', 'kafka'].filter((name) => text.toLowerCase().includes(name));
  // Many suites speak of browsers, and these open one.
  const opensBrowser = [...texts.keys()].some((path) => path.endsWith('.browser.spec.ts'));
  return {
    evenkeelNeededServices: opensBrowser ? [...named, 'browser'] : named,
    evenkeelStartsPrograms: /program\.fixture|services\/programs/.test(text),
  };
}

/** The longest time that a suite grants itself: `jest.setTimeout(300_000);`, `}, 90_000);`. */
function limitMs(text) {
  const limits = [...text.matchAll(/\b(\d+)_000\)?;/g)].map(([, seconds]) => Number(seconds) * 1_000);
  return Math.max(0, ...limits);
}

module.exports = NeededServices;
