import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { productionAllocator, productionNodeOptions } from './production-options';

const APPS = join(__dirname, '../../../../apps');
/** The last one of a name counts. */
const inEffect = (options: readonly string[]): Map<string, string> =>
  new Map(
    options.map((option): [string, string] => {
      const [name = '', value = ''] = option.split('=');
      return [name, value];
    }),
  );

it('are those of every image, and then those of the service', () => {
  const everywhere = productionNodeOptions();
  const own = ['--heap-growing-percent=30', '--no-memory-reducer', '--no-parallel-scavenge'];
  expect(everywhere).toContain('--enable-source-maps');
  expect(productionNodeOptions('reporting')).toEqual(everywhere);
  expect(productionNodeOptions('billing')).toEqual([...everywhere, ...own]);
});

it('gives large pieces of memory back in every image', () =>
  expect(productionAllocator()).toEqual({ MALLOC_MMAP_THRESHOLD_: '131072' }));

it.each(['accounts', 'billing'])('the README of %s runs it with them', (app) => {
  const readme = readFileSync(join(APPS, app, 'README.md'), 'utf8');
  const [, written = ''] = new RegExp(`node ((?:--\\S+ )+)apps/${app}/dist/main\\.js`).exec(readme) ?? [];
  const expected = productionNodeOptions(app).filter((option) => option !== '--enable-source-maps');
  expect(inEffect(written.trim().split(' '))).toEqual(inEffect(expected));
});
