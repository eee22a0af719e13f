import type { PaidEndpoint } from '@evenkeel/contracts';

/** Almost as many values and bytes as a body may have. */
const VALUES = 9_900;
const BYTES = 125_000;

export interface HostileBody {
  name: string;
  text: string;
}

/** Bodies under the cap that are as expensive to validate as we know, each in another way, made from the example of an endpoint. */
export function hostileBodies({ exampleInput, maxItems }: PaidEndpoint): HostileBody[] {
  const [list, items] = Object.entries(exampleInput as Record<string, object[]>)[0]!;
  const item = JSON.stringify(items[0]);
  const members = item.slice(1, -1);
  const names = Object.keys(items[0]!);
  const holding = (content: string): string => `{"${list}":[${content}]}`;
  const each = (content: string): string => holding(repeated(maxItems, () => content));
  const unknown = (count: number): string => repeated(count, (index) => `"${index.toString(36)}":0`);
  const unknownInItem = Math.floor(VALUES / maxItems) - names.length;

  return [
    { name: 'unknown properties', text: `{"${list}":[${item}],${unknown(VALUES)}}` },
    { name: 'unknown properties to escape', text: `{"${list}":[${item}],${unknown(VALUES).replaceAll('":', '~/":')}}` },
    { name: 'unknown properties in good items', text: each(`{${members},${unknown(unknownInItem)}}`) },
    {
      name: 'everything wrong in every item',
      text: each(`{${repeated(names.length, (at) => `"${names[at]}":[{}]`)}}`),
    },
    {
      name: 'a list in every field',
      text: each(`{${repeated(names.length, (at) => `"${names[at]}":[${repeated(40, () => '{}')}]`)}}`),
    },
    { name: 'empty items', text: holding(repeated(VALUES, () => '{}')) },
    { name: 'forbidden keys', text: holding(repeated(VALUES / 2, () => '{"constructor":0}')) },
    { name: 'half characters', text: holding(repeated(VALUES, () => '"\\ud800"')) },
    { name: 'numbers beyond a double', text: holding(repeated(VALUES, () => '1e999')) },
    { name: 'a free-form object', text: holding(`{${members},"metadata":{${unknown(VALUES)}}}`) },
    { name: 'long names', text: each(`{"name":"${'❤️'.repeat(BYTES / maxItems / 6)}"}`) },
    { name: 'long keys', text: `{${repeated(25, (index) => `"${index}${'~'.repeat(BYTES / 25 - 10)}":0`)}}` },
    {
      name: 'issues below a long key',
      text: `{"${'~'.repeat(BYTES / 2)}":[${repeated(VALUES / 2, () => '"\\u0000"')}]}`,
    },
    { name: 'one long text', text: holding(`{"name":"${' '.repeat(BYTES)}"}`) },
    { name: 'one long number', text: holding(`{"name":${'1'.repeat(BYTES)}}`) },
  ];
}

function repeated(count: number, text: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => text(index)).join(',');
}
