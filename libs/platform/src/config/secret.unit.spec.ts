import { IsOptional, IsString } from 'class-validator';
import { loadConfig } from './load-config';
import { redacted, Secret, secretSettings, secretsIn } from './secrets';
import { settingsOf } from './settings-of';

class BaseConfig {
  @Secret() @IsOptional() @IsString() DATABASE_URL?: string;
}

class ShopConfig extends BaseConfig {
  @Secret() @IsOptional() @IsString() SUPPLIER_URL?: string;
  @Secret() @IsOptional() @IsString() KEYS?: string;
  @IsOptional() @IsString() NAME?: string;
}

it('the settings of a class are known, inherited ones too, and which of them hold secrets', () => {
  expect(settingsOf(ShopConfig)).toEqual([
    { name: 'DATABASE_URL', isSecret: true },
    { name: 'KEYS', isSecret: true },
    { name: 'NAME', isSecret: false },
    { name: 'SUPPLIER_URL', isSecret: true },
  ]);
  expect(secretSettings(BaseConfig)).toEqual(['DATABASE_URL']);
});

it('production refuses a secret that anybody can read', () => {
  const env = { DATABASE_URL: 'postgres://shop:not-for-production@db/shop', NAME: 'not-for-prod' };
  expect(() => loadConfig(ShopConfig, { ...env, NODE_ENV: 'development' })).not.toThrow();
  expect(() => loadConfig(ShopConfig, { ...env, NODE_ENV: 'production' })).toThrow(
    /valid:\n- DATABASE_URL must not be a placeholder \(not-for-prod…\) when NODE_ENV=production$/,
  );
});

describe('of the secrets that were read', () => {
  beforeAll(() => {
    loadConfig(ShopConfig, {
      DATABASE_URL: 'postgres://keeper:p%40ss"word@db.example/stock_of_the_shop',
      SUPPLIER_URL: 'https://supplier.example/v2/0123456789abcdef?apikey=fedcba9876543210&page=1',
      KEYS: 'a:QUJDREVGR0hJSktMTU5P+/==,b:cXdlcnR5dWlvcGFzZGZnaGpr',
      NAME: 'a name that anybody may read',
    });
  });

  it.each([
    ['GET https://supplier.example/v2/0123456789abcdef?apikey=fedcba9876543210&page=1 failed', 'GET [redacted] failed'],
    ['GET /v2/0123456789abcdef failed', 'GET /v2/[redacted] failed'],
    ['the key fedcba9876543210 is used up', 'the key [redacted] is used up'],
    ['login keeper:p%40ss"word', 'login keeper:[redacted]'],
    ['login keeper:p@ss"word', 'login keeper:[redacted]'],
    [JSON.stringify({ message: 'login keeper:p@ss"word' }), '{"message":"login keeper:[redacted]"}'],
    [Buffer.from('keeper:p@ss"word').toString('base64'), '[redacted]'],
    ['bad key QUJDREVGR0hJSktMTU5P+/==', 'bad key [redacted]'],
    ['bad key cXdlcnR5dWlvcGFzZGZnaGpr', 'bad key [redacted]'],
    [`?key=${encodeURIComponent('QUJDREVGR0hJSktMTU5P+/==')}`, '?key=[redacted]'],
    ['authorization: Bearer eyJhbGciOiJFZERTQSJ9.e30.c2ln, 3 ms', 'authorization: [redacted], 3 ms'],
    ['supplier.example answers 500', 'supplier.example answers 500'],
    ['database "stock_of_the_shop" of keeper', 'database "stock_of_the_shop" of keeper'],
    ['a name that anybody may read, page=1', 'a name that anybody may read, page=1'],
  ])('%s is shown as %s', (text, shown) => expect(redacted(text)).toBe(shown));
});

it.each(['http://127.0.0.1:8402', 'none', 'redis://cache.example:6379/0'])('%s holds no secret', (value) => {
  expect(secretsIn(value)).toEqual([]);
});

it('a key in lines is cut line by line', () => {
  const pem =
    '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEG\nCCqGSM49AwEHBG0wawIBAQQg\n-----END PRIVATE KEY-----';
  for (const form of [pem, pem.replaceAll('\n', '\\n')]) {
    expect(secretsIn(form)).toEqual(expect.arrayContaining(['MIGHAgEAMBMGByqGSM49AgEG', 'CCqGSM49AwEHBG0wawIBAQQg']));
  }
});
