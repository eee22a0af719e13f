import { coresOf } from '../running/cores';
import { sampleIn } from './read-metrics';

const PAGE = `# HELP process_resident_memory_bytes Resident memory size in bytes.
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes{service="billing-worker"} 104857600
process_cpu_seconds_total{service="billing-worker"} 12.5
evenkeel_outbox_unpublished{service="billing"} 3
evenkeel_outbox_oldest_seconds{service="billing"} 1.5
evenkeel_consumer_lag{service="billing",subscription="billing"} 40
evenkeel_consumer_lag{service="billing",subscription="billing.other"} 2
`;

it('reads memory, time of the processor and lag from a page', () => {
  expect(sampleIn('billing-worker-1', PAGE)).toEqual({
    ...{ name: 'billing-worker-1', residentBytes: 104_857_600, cpuSeconds: 12.5, oldestSeconds: 1.5, waiting: 43 },
  });
});

it('a process without outbox and topics waits for nothing', () => {
  const page = PAGE.split('\n').slice(0, 4).join('\n');
  expect(sampleIn('billing-1', page)).toMatchObject({ oldestSeconds: 0, waiting: 0 });
});

it('refuses a page that is none', () => {
  expect(() => sampleIn('billing-1', '<html>')).toThrow('there is no process_resident_memory_bytes on the page');
});

it('adds up what the replicas of a service used; one that was restarted began again', () => {
  const at = (name: string, cpuSeconds: number) => ({ ...sampleIn(name, PAGE), cpuSeconds });
  const before = [at('billing-1', 10), at('billing-2', 20), at('billing-worker-1', 5)];
  const after = [at('billing-1', 12), at('billing-2', 1), at('billing-worker-1', 6)];
  expect(coresOf(before, after, 4)).toEqual([
    ['billing', 0.5],
    ['billing-worker', 0.25],
  ]);
});
