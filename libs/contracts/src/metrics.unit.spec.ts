import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { METRICS, type MetricDescription } from './metrics';

const PAGE = join(__dirname, '../../../docs/metrics.md');
const metrics = Object.entries<MetricDescription>(METRICS);

it('docs/metrics.md has each metric as the catalogue has it', () => {
  const rows = readFileSync(PAGE, 'utf8').split('\n');
  const cells = rows.filter((row) => row.startsWith('| `') && !row.includes('…')).map((row) => row.split(/ *\| */));
  const found = cells.map(([, name, type, labels, _processes, help]) => [name, type, labels, help]);
  const quoted = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  expect(found).toEqual(metrics.map(([name, { type, labels, help }]) => [quoted([name]), type, quoted(labels), help]));
});

it.each(metrics)('%s is named as Prometheus wants it', (name, { type, labels }) => {
  expect(name).toMatch(/^[a-z]+(_[a-z]+)+$|^payments$/);
  // A counter, and nothing else, ends in _total; what is timed is in seconds.
  expect(name.endsWith('_total')).toBe(type === 'counter');
  if (type === 'histogram') expect(name).toMatch(/_seconds$/);
  expect(labels.filter((label) => !/^[a-z]+$/.test(label) || ['id', 'le', 'service'].includes(label))).toEqual([]);
});
