import type { Sample } from '../metrics/read-metrics';
import { grown, growthsOf, lagging, type Look } from './verdicts';

const MB = 1_048_576;
const sample = (more: Partial<Sample>): Sample => ({
  ...{ name: 'billing-1', residentBytes: 100 * MB, cpuSeconds: 0, oldestSeconds: 0, waiting: 0 },
  ...more,
});

/** A look each 12 s. @param sizeAt megabytes at a minute */
function looks(minutes: number, sizeAt: (minute: number) => number): Look[] {
  return Array.from({ length: minutes * 5 + 1 }, (_, index) => {
    const minute = index / 5;
    return { minute, samples: [sample({ residentBytes: sizeAt(minute) * MB })] };
  });
}

it('memory may grow until minute 5, and by less than a tenth afterwards', () => {
  const growths = growthsOf(looks(30, (minute) => (minute < 5 ? 60 + 8 * minute : 100 + minute / 5)));
  expect(growths).toEqual([
    { name: 'billing-1', fromBytes: expect.any(Number), toBytes: expect.any(Number), ratio: expect.closeTo(0.05, 2) },
  ]);
  expect(grown(growths)).toEqual([]);
});

it('one tall moment is not growth', () => {
  expect(grown(growthsOf(looks(30, (minute) => (minute === 30 ? 150 : 100))))).toEqual([]);
});

it('names each process that grows by a tenth', () => {
  expect(grown(growthsOf(looks(30, (minute) => 100 + minute)))).toEqual([
    'billing-1: resident memory went from 105 MB after minute 5 to 130 MB, 23 % more',
  ]);
});

it('says nothing of memory after too short a time', () => {
  expect(growthsOf(looks(6, (minute) => 100 + 50 * minute))).toEqual([]);
});

it('names each lag at the end', () => {
  const late = sample({ name: 'billing-worker-2', oldestSeconds: 7.25 });
  expect(lagging({ minute: 30, samples: [sample({ oldestSeconds: 4 }), late] }, 4)).toEqual([
    'billing-worker-2: an event waited 7.3 s to be published',
  ]);
  expect(lagging({ minute: 30, samples: [sample({})] }, 12)).toEqual([
    'events were published and read only 12.0 s after the last request',
  ]);
});
