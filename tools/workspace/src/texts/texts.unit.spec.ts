import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../run.fixture';
import { brokenCitations } from './citations';
import { importCircles } from './import-circles';
import { refusedWords, usesOf } from './refused-words';
import { workspaceTexts } from './workspace-texts';

const workspace = workspaceTexts(ROOT);
const { texts } = workspace;

it('citations and links lead somewhere', () => {
  expect(brokenCitations(workspace)).toEqual([]);
  const none = 999;
  const page = `docs/${'nothing'}.md`;
  const cited = [
    `D-${none}`,
    `P${19}`,
    `S${19}`,
    page,
    `${'nothing'}.md`,
    `protocol.md section ${none}`,
    `ADR ${none}9`,
  ];
  const linked = [`[x](${page})`, '[x](docs/protocol.md#nothing)'];
  const made = new Map([...texts, ['MADE.md', [...cited, ...linked].join('\n')]]);
  const places = brokenCitations({ ...workspace, texts: made }).map((line) => line.split(': ')[0]);
  expect([...new Set(places)]).toEqual([...cited, ...linked].map((_, index) => `MADE.md:${index + 1}`));
});

it('imports go one way between all files', () => {
  expect(importCircles(texts)).toEqual([]);
  const circle = { 'a.ts': "import { b } from './b';", 'b/index.ts': "import { a } from '../a';" };
  expect(importCircles(new Map(Object.entries(circle)))).toHaveLength(1);
});

it('no name and no comment has a word that the glossary refuses', () => {
  const refused = refusedWords(texts.get('docs/glossary.md')!);
  expect(
    usesOf(refused, new Map([['apps/shop/src/tender.entity.ts', 'const doubtful = 1; // in doubt']])),
  ).toHaveLength(3);
  expect(usesOf(refused, texts)).toEqual([]);
});

describe('the layers of eslint.config.mjs', () => {
  const [, stated = ''] = texts.get('eslint.config.mjs')!.split(/\nconst layers = \{\n|\n\};\n\nfunction layerRules/);
  const layers = new Map(stated.split(/\n(?= {2}['a-z])/).map((part) => [/[a-z-]+/.exec(part)![0], part]));

  it.each(readdirSync(join(ROOT, 'apps')))('have every folder of %s, and no other', (app) => {
    const [, ...folders] = (layers.get(app) ?? '').match(/[a-z-]+/g) ?? [];
    const present = readdirSync(join(ROOT, 'apps', app, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && holdsProductCode(join(ROOT, 'apps', app, 'src', entry.name)))
      .map(({ name }) => name);
    expect(folders.sort()).toEqual(present.sort());
  });
});

/** Tables are made by their migrations alone; what only tests hold is no layer. */
function holdsProductCode(folder: string): boolean {
  if (folder.endsWith('migrations')) return false;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.some((file) => file.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(file));
}
