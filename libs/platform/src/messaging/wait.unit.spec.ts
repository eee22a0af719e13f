import { getEventListeners } from 'node:events';
import { Wait } from './wait';

it('a wait ends with the longer one or before it, and leaves nothing behind', () => {
  const longer = new AbortController();
  {
    using first = new Wait(longer.signal);
    using second = new Wait(longer.signal);
    first.end();
    expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false]);
  }
  expect(getEventListeners(longer.signal, 'abort')).toEqual([]);
  using third = new Wait(longer.signal);
  longer.abort();
  expect([third.signal.aborted, new Wait(longer.signal).signal.aborted]).toEqual([true, true]);
});
