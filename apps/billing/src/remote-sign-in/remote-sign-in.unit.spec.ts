import { loadConfig } from '@evenkeel/platform/config';
import { RemoteSignInConfig } from './remote-sign-in.module';

class ShopConfig extends RemoteSignInConfig {}

const load = (env: Record<string, string>) =>
  loadConfig(ShopConfig, { DATABASE_URL: 'postgres://localhost/shop', ...env });

describe('the keys of another service', () => {
  it('are below the base URL, unless the settings say otherwise', () => {
    expect(load({ PUBLIC_BASE_URL: 'https://shop.example' }).jwksUrl).toBe(
      'https://shop.example/.well-known/jwks.json',
    );
    expect(load({ JWKS_URL: 'http://accounts:3001/keys' }).jwksUrl).toBe('http://accounts:3001/keys');
  });

  it.each(['http://accounts.example/keys', 'accounts'])('are not read from %s', (JWKS_URL) => {
    expect(() => load({ JWKS_URL, NODE_ENV: 'production' })).toThrow('JWKS_URL must be an https address');
  });
});
