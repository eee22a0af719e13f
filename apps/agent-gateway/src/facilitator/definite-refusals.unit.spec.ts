import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFINITE_REFUSALS, SOURCES } from './read-answers';

it('is in docs/protocol.md, with the same sources', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/protocol.md'), 'utf8');
  const section = page.split('### The closed list of definite refusals\n')[1]!.split(/\n##/)[0]!;
  const rows = [...section.matchAll(/^\| `?([\w ]+?)`? +\| (.+?) +\|$/gm)].map(([, name, text]) => [name!, text!]);
  const endings = Object.entries(DEFINITE_REFUSALS).map(([ending, sources]) => [ending, sources.join(', ')]);
  const expected = [['Ending', 'Sources'], ...endings, ['Source', 'What it says'], ...Object.entries(SOURCES)];
  expect(rows).toEqual(expected);
});
