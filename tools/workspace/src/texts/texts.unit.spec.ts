import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../run.fixture';
import { brokenCitations, Citations } from './citations';
import { importCircles } from './import-circles';
import { refusedWords, usesOf } from './refused-words';
import { workspaceTexts } from './workspace-texts';

const { texts } = workspaceTexts(ROOT);
const glossary = texts.get('docs/glossary.md')!;

describe('citations', () => {
  const pages: [string, string][] = [
    ['docs/decisions.md', '| D-10 | Bodies are JSON. |'],
    ['docs/promises.md', '| **P1** A payer is charged once. |'],
    ['docs/scoring.md', '| S1 | every number is finite |'],
    ['docs/protocol.md', '# Protocol\n\n## The circuit\n\n## 2 States\n'],
    ['docs/adr/0008-a-shortcut.md', '# A shortcut'],
  ];
  const brokenIn = (file: string, text: string) => new Citations(new Map([...pages, [file, text]])).broken();

  it.each([
    ['a decision', '// as D-11 says', 'D-11'],
    ['a promise', '/** Promise P12, for ever. */', 'P12'],
    ['a property', '/** Property S2 holds. */', 'S2'],
    ['a document', '// see docs/payments.md', 'docs/payments.md'],
    ['a page', '// (payments.md section 6)', 'payments.md section 6'],
    ['a section', '// (protocol.md section 6)', 'protocol.md section 6'],
    ['a record of a decision', '// ADR 0009', 'ADR 0009'],
    ['the path of one', '// docs/adr/0009', 'adr/0009'],
  ])('of %s that is not there are found', (_what, text, cited) => {
    expect(brokenIn('apps/shop/src/main.ts', `\n${text}\n`)).toContain(`apps/shop/src/main.ts:2: ${cited}`);
  });

  it.each([
    ['page', '[x](../../docs/nothing.md)', '](../../docs/nothing.md)'],
    ['section', '[x](../../docs/protocol.md#the-fuse)', '](../../docs/protocol.md#the-fuse)'],
  ])('by a link to a %s that is not there are found', (_what, text, cited) => {
    expect(brokenIn('apps/shop/README.md', text)).toContain(`apps/shop/README.md:1: ${cited}`);
  });

  it('of what is there are left alone', () => {
    const code =
      '// D-10, P1, S1, docs/protocol.md, protocol.md section 2, docs/adr/0008, ADR 0008, docs/adr/0008-a-shortcut.md';
    expect(brokenIn('apps/shop/src/main.ts', code)).toEqual([]);
    expect(brokenIn('apps/shop/README.md', '[x](../../docs/protocol.md#the-circuit) [y](https://example.com)')).toEqual(
      [],
    );
  });

  it('lead somewhere in the whole workspace', () => expect(brokenCitations(ROOT)).toEqual([]));
});

describe('imports', () => {
  const circlesOf = (files: Record<string, string>) => importCircles(new Map(Object.entries(files)));

  it.each([
    ['two files', { 'a.ts': "import { b } from './b';", 'b.ts': "import {\n  a,\n  type A,\n} from './a';" }],
    ['a folder', { 'a.ts': "export * from './b';", 'b/index.ts': "import '../a';" }],
  ])('in a circle of %s are found', (_what, files) => expect(circlesOf(files)).toHaveLength(1));

  it('that only bring types, or go one way, are left alone', () => {
    const files = {
      'a.ts': "import { b } from './b';\nimport { c } from './c';",
      'b.ts': "import type { A } from './a';\nimport {\n  type A,\n  type AB as B,\n} from './a';",
      'c.ts': "import { b } from './b';",
    };
    expect(circlesOf(files)).toEqual([]);
  });

  it('go one way between all files of the workspace', () => expect(importCircles(texts)).toEqual([]));
});

describe('the words of the glossary', () => {
  const refused = refusedWords(glossary);

  it('are found where they are refused', () => {
    const text = "const doubtfulPart = 'in doubt'; // The wallet's doubt.\nclass ResolveDoubt {}\n";
    expect(usesOf(refused, new Map([['apps/shop/src/tender.entity.ts', text]]))).toEqual([
      'apps/shop/src/tender.entity.ts: tender, better payment instrument',
      'apps/shop/src/tender.entity.ts:1: doubtful, better uncertain',
      'apps/shop/src/tender.entity.ts:1: doubt, better uncertain',
      'apps/shop/src/tender.entity.ts:2: doubt, better uncertain',
    ]);
  });

  it('are used by no name and no comment', () => {
    const samples = /^tools\/workspace\/src\/texts\//;
    const written = new Map([...texts].filter(([file]) => !samples.test(file)));
    expect(usesOf(refused, written)).toEqual([]);
  });
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
