import { getEventListeners } from 'node:events';
import { Wait } from './wait';

let longer: AbortController;
beforeEach(() => (longer = new AbortController()));

describe('a wait', () => {
  it('ends with the longer one, or before it', () => {
    const waits = [new Wait(longer.signal), new Wait(longer.signal)] as const;
    waits[0].end();
    expect(waits.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    longer.abort();
    expect(waits.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  it('does not begin when the longer one is over', () => {
    longer.abort();
    expect(new Wait(longer.signal).signal.aborted).toBe(true);
  });

  it('leaves nothing behind', () => {
    for (let turn = 0; turn < 3; turn++) {
      using wait = new Wait(longer.signal);
      expect(wait.signal.aborted).toBe(false);
    }
    expect(getEventListeners(longer.signal, 'abort')).toEqual([]);
  });
});
