import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { METRICS, type MetricDescription } from './metrics';

const PAGE = join(__dirname, '../../../docs/metrics.md');
const metrics = Object.entries<MetricDescription>(METRICS);

/** As the table of the page has it, whatever the width of its columns. */
function rowOf([name, { type, labels, from, help }]: [string, MetricDescription]): string {
  const named = labels.map((label) => `\`${label}\``).join(', ');
  return ['', ` \`${name}\` `, ` ${type} `, ` ${named} `, ` ${from} `, ` ${help} `, ''].join('|');
}

function rowsOf(markdown: string): string[] {
  const rows = markdown.split('\n').filter((line) => line.startsWith('| `') && !line.includes('…'));
  return rows.map((row) => row.replace(/ +/g, ' ').replaceAll('| |', '|  |'));
}

it('docs/metrics.md has each metric as the catalogue has it', () => {
  expect(rowsOf(readFileSync(PAGE, 'utf8'))).toEqual(metrics.map(rowOf));
});

it.each(metrics)('%s is named as Prometheus wants it', (name, { type, labels }) => {
  expect(name).toMatch(/^[a-z]+(_[a-z]+)+$|^payments$/);
  // A counter, and nothing else, ends in _total; what is timed is in seconds.
  expect(name.endsWith('_total')).toBe(type === 'counter');
  if (type === 'histogram') expect(name).toMatch(/_seconds$/);
  expect(labels.filter((label) => !/^[a-z]+$/.test(label) || ['id', 'le', 'service'].includes(label))).toEqual([]);
});
