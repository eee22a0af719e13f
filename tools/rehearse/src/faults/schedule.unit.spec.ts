import { scheduleOf, type Event } from './schedule';

const PROCESSES = ['accounts-1', 'accounts-worker-1', 'billing-1'];
const of = (seed: number, minutes = 15): Event[] => scheduleOf(seed, minutes, PROCESSES);

it('is the same for the same seed, and another for another', () => {
  expect(of(7)).toEqual(of(7));
  expect(of(7)).not.toEqual(of(8));
});

it('has things that fail in every way, and kills of every process, in order and over at the end', () => {
  const events = of(1);
  const faults = events.flatMap((event) => ('thing' in event ? [event] : []));
  const kills = events.flatMap((event) => ('kill' in event ? [event] : []));
  expect(new Set(faults.map(({ thing }) => thing)).size).toBe(9);
  expect(new Set(faults.map(({ fault }) => fault)).size).toBe(3);
  expect(new Set(kills.map(({ kill }) => kill))).toEqual(new Set(PROCESSES));
  expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted((a, b) => a - b));
  expect(Math.max(...faults.map(({ until }) => until))).toBeLessThanOrEqual(15 * 60_000);
});

it('lets a thing fail, or a process end, once at a time', () => {
  for (const seed of [1, 2, 3]) {
    const last = new Map<string, number>();
    for (const event of of(seed)) {
      const [name, until] = 'thing' in event ? [event.thing, event.until] : [event.kill, event.startAt];
      expect(event.at).toBeGreaterThanOrEqual(last.get(name) ?? 0);
      last.set(name, until);
    }
  }
});
