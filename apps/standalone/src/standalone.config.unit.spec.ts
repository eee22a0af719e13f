import { loadConfig } from '@evenkeel/platform/config';
import { StandaloneConfig } from './standalone.config';

it('listens on this machine alone unless HOST says otherwise: it shows links that reset passwords', () => {
  expect(loadConfig(StandaloneConfig, {}).HOST).toBe('127.0.0.1');
  expect(loadConfig(StandaloneConfig, { HOST: '0.0.0.0' }).HOST).toBe('0.0.0.0');
  expect(() => loadConfig(StandaloneConfig, { HOST: 'everywhere' })).toThrow('HOST');
});
