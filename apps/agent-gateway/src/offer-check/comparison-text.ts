import { isJsonObject } from '@evenkeel/contracts';
import type { Comparison, Difference } from './compare-offers';

const SHOWN = 120;

/** For people: what differs, or that nothing does. */
export function comparisonText({ digest, statements, documents, differences }: Comparison): string {
  if (differences.length === 0) {
    return `${statements} statements in ${documents} documents agree.\noffer digest ${digest}\n`;
  }
  const count = `${differences.length} of ${statements} statements differ from the offers in /.well-known/x402.json`;
  return `${differences.map(differenceText).join('')}\n${count} (digest ${digest}).\n`;
}

function differenceText({ where, about, fact, value, expected }: Difference): string {
  const [place, found, right] = firstDifference(value, expected);
  const subject = about === '' || where.includes(about) ? '' : `, ${about}`;
  return `${where}${subject}: ${fact}${place}\n  - ${shown(right)}\n  + ${shown(found)}\n`;
}

/** Into objects that are mostly equal: the first place where they are not. */
function firstDifference(value: unknown, expected: unknown): [place: string, value: unknown, expected: unknown] {
  if (!isJsonObject(value) || !isJsonObject(expected)) return ['', value, expected];
  const names = [...new Set([...Object.keys(expected), ...Object.keys(value)])];
  const name = names.find((one) => JSON.stringify(value[one]) !== JSON.stringify(expected[one]));
  if (name === undefined) return ['', value, expected];
  const [place, ...both] = firstDifference(value[name], expected[name]);
  return [`/${name}${place}`, ...both];
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
