const { readFileSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Finds out which services a run needs: a suite gets those whose name is in its text, and compiled programs where it
 * names what starts one. Jest asks for the order of the suites just before the set-up, in the same process, and nothing
 * else there knows which suites will run. It is JavaScript because Jest does not compile its sequencer.
 */
class NeededServices extends Sequencer {
  sort(tests) {
    const texts = new Map(tests.map(({ path }) => [path, readFileSync(path, 'utf8')]));
    const text = [...texts].flatMap(([path, its]) => (path.endsWith('.unit.spec.ts') ? [] : its)).join('\n');
    const known = ['redis', 'kafka', 'browser'];
    process.evenkeelNeededServices = known.filter((name) => text.toLowerCase().includes(name));
    process.evenkeelStartsPrograms = /program\.fixture|services\/programs/.test(text);

    const sorted = super.sort(tests);
    // Jest knows how long they took before. In a fresh clone it goes by size, and the longest may come last and alone.
    const isNew = sorted.every(({ duration }) => duration === undefined);
    return isNew ? sorted.sort((one, other) => limitMs(texts.get(other.path)) - limitMs(texts.get(one.path))) : sorted;
  }
}

/** The longest time that a suite grants itself: `jest.setTimeout(300_000);`, `}, 90_000);`. */
function limitMs(text) {
  const limits = [...text.matchAll(/\b(\d+)_000\)?;/g)].map(([, seconds]) => Number(seconds) * 1_000);
  return Math.max(0, ...limits);
}

module.exports = NeededServices;
