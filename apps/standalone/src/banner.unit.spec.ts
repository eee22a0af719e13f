import { loadConfig } from '@evenkeel/platform/config';
import { banner } from './banner';
import { StandaloneConfig } from './standalone.config';
import type { Standalone } from './start-standalone';

it.each([
  ['http://localhost:8080', 'npm run agent -- recommend  '],
  ['http://localhost:9000', 'npm run agent -- recommend --url http://localhost:9000  '],
])('has an agent pay at %s', (url, command) => {
  expect(banner({ url } as Standalone)).toContain(command);
});

it('listens on this machine alone unless HOST says otherwise: it shows links that reset passwords', () => {
  expect(loadConfig(StandaloneConfig, {}).HOST).toBe('127.0.0.1');
  expect(loadConfig(StandaloneConfig, { HOST: '0.0.0.0' }).HOST).toBe('0.0.0.0');
  expect(() => loadConfig(StandaloneConfig, { HOST: 'everywhere' })).toThrow('HOST');
});
