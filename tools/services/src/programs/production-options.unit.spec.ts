import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { productionNodeOptions } from './production-options';

const APPS = join(__dirname, '../../../../apps');
/** The last one of a name counts. */
const inEffect = (options: readonly string[]): Map<string, string> =>
  new Map(
    options.map((option): [string, string] => {
      const [name = '', value = ''] = option.split('=');
      return [name, value];
    }),
  );

it.each(['accounts', 'billing'])('the README of %s runs it with them', (app) => {
  const readme = readFileSync(join(APPS, app, 'README.md'), 'utf8');
  const [, written = ''] = new RegExp(`node ((?:--\\S+ )+)apps/${app}/dist/main\\.js`).exec(readme) ?? [];
  const expected = productionNodeOptions(app).filter((option) => option !== '--enable-source-maps');
  expect(inEffect(written.trim().split(' '))).toEqual(inEffect(expected));
});
