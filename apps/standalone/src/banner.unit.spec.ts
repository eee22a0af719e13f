import { banner } from './banner';
import type { Standalone } from './start-standalone';

it.each([
  ['http://localhost:8080', 'npm run agent -- recommend  '],
  ['http://localhost:9000', 'npm run agent -- recommend --url http://localhost:9000  '],
])('has an agent pay at %s', (url, command) => {
  expect(banner({ url } as Standalone)).toContain(command);
});
