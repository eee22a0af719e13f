import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '@evenkeel/contracts';
import { ROOT } from '../run.fixture';
import { brokenCitations } from './citations';
import { importCircles } from './import-circles';
import { productWordsIn, refusedWords, usesOf } from './words';
import { workspaceTexts } from './workspace-texts';

const workspace = workspaceTexts(ROOT);
const { texts } = workspace;

it('citations and links lead somewhere', () => {
  expect(brokenCitations(workspace)).toEqual([]);
  const none = 999;
  const page = `docs/${'nothing'}.md`;
  const cited = [`D-${none}`, `P${19}`, page, `${'nothing'}.md`, `protocol.md section ${none}`, `ADR ${none}9`];
  const lines = [...cited, `[x](${page})`, '[x](docs/protocol.md#nothing)'];
  const made = new Map([...texts, ['MADE.md', lines.join('\n')]]);
  const places = brokenCitations({ ...workspace, texts: made }).map((line) => line.split(': ')[0]);
  expect([...new Set(places)]).toEqual(lines.map((_, index) => `MADE.md:${index + 1}`));
});

it('imports go one way between all files', () => {
  expect(importCircles(texts)).toEqual([]);
  const circle = { 'a.ts': "import { b } from './b';", 'b/index.ts': "import { a } from '../a';" };
  expect(importCircles(new Map(Object.entries(circle)))).toHaveLength(1);
});

it('no name and no comment has a word that the glossary refuses, and none of the platform one of the product', () => {
  const refused = refusedWords(texts.get('docs/glossary.md')!);
  const made = new Map([['apps/shop/src/tender.entity.ts', 'const doubtful = 1; // in doubt']]);
  expect([usesOf(refused, made).length, usesOf(refused, texts)]).toEqual([3, []]);
  const platform = new Map([
    ['libs/platform/src/x.ts', 'Promise.allSettled([]); // Payment Required, one row a habit'],
  ]);
  expect([productWordsIn(platform).length, productWordsIn(texts)]).toEqual([1, []]);
});

it('every code that an error states is explained, and every code that is explained is answered by something', () => {
  const sources = [...texts]
    .filter(([file]) => /^(apps|libs)\/[^/]+\/src\/(?!.*(\.spec|\.fixture|error-codes)\.ts$).*\.ts$/.test(file))
    .map(([, text]) => text);
  const stated = sources
    .flatMap((text) => [...text.matchAll(/\breadonly code = '([a-z_]+)'/g)])
    .map(([, code]) => code!);
  expect(stated.length).toBeGreaterThan(30);
  expect(stated.filter((code) => !(code in ERROR_CODES))).toEqual([]);
  // A member of a union gives no answer.
  const all = new Set(
    sources
      .join('\n')
      .replaceAll(/^ +\| '\w+';?$/gm, '')
      .match(/\w+/g),
  );
  expect(Object.keys(ERROR_CODES).filter((code) => !all.has(code))).toEqual([]);
});

it.each(readdirSync(join(ROOT, 'apps')))(
  'the layers of eslint.config.mjs have every folder of %s, and no other',
  (app) => {
    const [, stated = ''] = texts.get('eslint.config.mjs')!.split(/\nconst layers = \{\n|\n\};\n\nfunction layerRules/);
    const own = stated.split(/\n(?= {2}['a-z])/).find((part) => /[a-z-]+/.exec(part)![0] === app);
    const [, ...folders] = own?.match(/[a-z-]+/g) ?? [];
    // Tables are made by their migrations alone; what only tests hold is no layer.
    const product = new RegExp(`^apps/${app}/src/((?!migrations)[^/]+)/(?!.*\\.(spec|fixture)\\.ts$).*\\.ts$`);
    const present = new Set([...texts.keys()].flatMap((file) => product.exec(file)?.[1] ?? []));
    expect(folders.sort()).toEqual([...present].sort());
  },
);
