import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsOf } from '@evenkeel/platform/config';
import { SERVICE_CONFIGS } from './service-configs';

const read = (path: string) => readFileSync(join(__dirname, '../../..', path), 'utf8');

it.each([...SERVICE_CONFIGS])('each setting of %s is in a table of settings', (name, config) => {
  const tables = read('docs/settings.md') + read(`apps/${name}/README.md`);
  expect(settingsOf(config).filter((setting) => !tables.includes(`\`${setting.name}\``))).toEqual([]);
});
