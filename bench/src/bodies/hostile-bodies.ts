import type { PaidEndpoint } from '@evenkeel/contracts';

/** Almost as many values and bytes as a body may have. */
const VALUES = 9_900;
const BYTES = 125_000;

export interface HostileBody {
  name: string;
  text: string;
}

/** A letter beyond Latin-1, which makes texts of two bytes a letter. */
const WIDE = 'ж';
/** Escapes may spell what may not be in a body. */
const ESCAPE = '\\ud83d\\ude00';

/** Bodies under the cap that take as long to validate as we know, each in another way, made from the example of an endpoint. */
export function hostileBodies({ exampleInput, maxItems }: PaidEndpoint): HostileBody[] {
  const [list, items] = Object.entries(exampleInput as Record<string, object[]>)[0]!;
  const item = JSON.stringify(items[0]);
  const members = item.slice(1, -1);
  const trimmed = members.replace('"name":"', `"name":" ${ESCAPE}`);
  const names = Object.keys(items[0]!);
  const holding = (content: string): string => `{"${list}":[${content}]}`;
  const each = (content: string): string => holding(repeated(maxItems, () => content));
  const unknown = (count: number, before = '', value = '0'): string =>
    repeated(count, (index) => `"${before}${index.toString(36)}":${value}`);
  const wrong = `{${repeated(names.length, (at) => `"${names[at]}":null`)}}`;
  // One issue is left to look for among the unknown properties.
  const wrongItems = repeated(Math.min(maxItems, Math.floor(99 / names.length)), () => wrong);
  const unknownInItem = Math.floor(VALUES / maxItems) - names.length;

  return [
    { name: 'unknown properties', text: `{"${list}":[${item}],${unknown(VALUES)}}` },
    { name: 'unknown properties to escape', text: `{"${list}":[${item}],${unknown(VALUES).replaceAll('":', '~/":')}}` },
    { name: 'unknown properties in good items', text: each(`{${members},${unknown(unknownInItem)}}`) },
    { name: 'unknown properties to search', text: `{"${list}":["${ESCAPE}"],${unknown(VALUES, `${WIDE}~/`)}}` },
    {
      name: 'unknown texts after mistakes',
      text: `{"${list}":[${wrongItems},"${ESCAPE}"],${unknown(VALUES - 300, WIDE, `"${WIDE}"`)}}`,
    },
    { name: 'unknown properties in one good item', text: holding(`{${trimmed},${unknown(VALUES - 50, '\\"')}}`) },
    {
      name: 'unknown properties to escape in good items',
      text: each(`{${trimmed},${unknown(unknownInItem, `\\"${WIDE}`)}}`),
    },
    {
      name: 'everything wrong in every item',
      text: each(`{${repeated(names.length, (at) => `"${names[at]}":[{}]`)}}`),
    },
    {
      name: 'a list in every field',
      text: each(`{${repeated(names.length, (at) => `"${names[at]}":[${repeated(40, () => '{}')}]`)}}`),
    },
    { name: 'empty items', text: holding(repeated(VALUES, () => '{}')) },
    {
      name: 'empty items after good ones',
      text: holding(`${repeated(maxItems, () => item)},${repeated(VALUES - 500, () => '{}')}`),
    },
    {
      name: 'small items after none',
      text: holding(
        `${repeated(maxItems, () => '0')},${repeated(VALUES / 2 - 50, (at) => `{"${at.toString(36)}":0}`)}`,
      ),
    },
    { name: 'forbidden keys', text: holding(repeated(VALUES / 2, () => '{"constructor":0}')) },
    {
      name: 'half a character after unknown texts',
      text: `{"${list}":[${item}],${unknown(VALUES - 300, WIDE, `"${WIDE}"`)},"half":"\\ud800"}`,
    },
    { name: 'texts of escapes', text: holding(repeated(BYTES / 15, () => `"${ESCAPE}"`)) },
    { name: 'keys of escapes', text: `{"${list}":[${item}],${unknown(5_000, ESCAPE)}}` },
    { name: 'almost forbidden keys', text: `{"${list}":[${item}],${unknown(5_500, '\\u0063onstructo')}}` },
    { name: 'numbers with large exponents', text: holding(repeated(VALUES, () => '1e308')) },
    { name: 'half characters', text: holding(repeated(VALUES, () => '"\\ud800"')) },
    { name: 'numbers beyond a double', text: holding(repeated(VALUES, () => '1e999')) },
    { name: 'a free-form object', text: holding(`{${members},"metadata":{${unknown(VALUES)}}}`) },
    { name: 'long names', text: each(`{"name":"${'❤️'.repeat(BYTES / maxItems / 6)}"}`) },
    { name: 'long keys', text: `{${repeated(25, (index) => `"${index}${'~'.repeat(BYTES / 25 - 10)}":0`)}}` },
    {
      name: 'issues below a long key',
      text: `{"${'~'.repeat(BYTES / 2)}":[${repeated(VALUES / 2, () => '"\\u0000"')}]}`,
    },
    {
      name: 'issues below many long keys',
      text: below(28, '~'.repeat(200), `[${repeated(VALUES - 100, () => '"\\u0000"')}]`),
    },
    { name: 'one long text', text: holding(`{"name":"${' '.repeat(BYTES)}"}`) },
    { name: 'one long number', text: holding(`{"name":${'1'.repeat(BYTES)}}`) },
  ];
}

function repeated(count: number, text: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => text(index)).join(',');
}

function below(levels: number, key: string, json: string): string {
  return `{"${key}":`.repeat(levels) + json + '}'.repeat(levels);
}
