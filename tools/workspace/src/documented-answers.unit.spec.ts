import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPEN_API_FOLDER } from '@evenkeel/contracts';

const root = join(__dirname, '../../..');
const services = readdirSync(OPEN_API_FOLDER).map((file) => file.replace('.json', ''));

it.each(services)('%s sends itself what its document says, and compares the answers', (service) => {
  const spec = join(root, 'apps', service, 'src/openapi/documented-examples.int.spec.ts');
  expect(readFileSync(spec, 'utf8')).toMatch(/it\.each\(titles\)[^]*\.faultsOf\(/);
});

it.each(services)('the document of %s says in words of its own what is under each heading', (service) => {
  const { tags } = JSON.parse(readFileSync(join(OPEN_API_FOLDER, `${service}.json`), 'utf8')) as {
    tags: { name: string; description: string }[];
  };
  expect(tags.length).toBeGreaterThan(0);
  expect(tags.filter(({ name, description }) => description.includes(name))).toEqual([]);
});
