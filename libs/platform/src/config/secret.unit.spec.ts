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

it('knows which settings of a class hold secrets, inherited ones too', () => {
  expect(secretSettings(ShopConfig).sort()).toEqual(['DATABASE_URL', 'KEYS', 'SUPPLIER_URL']);
  expect(secretSettings(BaseConfig)).toEqual(['DATABASE_URL']);
});

it('knows all settings of a class, and which of them hold secrets', () => {
  expect(settingsOf(ShopConfig)).toEqual([
    { name: 'DATABASE_URL', isSecret: true },
    { name: 'KEYS', isSecret: true },
    { name: 'NAME', isSecret: false },
    { name: 'SUPPLIER_URL', isSecret: true },
  ]);
});

it('production refuses a secret that anybody can read', () => {
  const env = { DATABASE_URL: 'postgres://shop:not-for-production@db/shop', NAME: 'not-for-prod' };
  expect(() => loadConfig(ShopConfig, { ...env, NODE_ENV: 'development' })).not.toThrow();
  expect(() => loadConfig(ShopConfig, { ...env, NODE_ENV: 'production' })).toThrow(
    /valid:\n- DATABASE_URL must not be a placeholder \(not-for-prod…\) when NODE_ENV=production$/,
  );
});

describe('what was read from the settings', () => {
  beforeAll(() => {
    loadConfig(ShopConfig, {
      DATABASE_URL: 'postgres://keeper:p%40ss"word@db.example/stock_of_the_shop',
      SUPPLIER_URL: 'https://supplier.example/v2/0123456789abcdef?apikey=fedcba9876543210&page=1',
      KEYS: 'a:QUJDREVGR0hJSktMTU5P+/==,b:cXdlcnR5dWlvcGFzZGZnaGpr',
      NAME: 'a name that anybody may read',
    });
  });

  it.each([
    ['a whole address', 'GET https://supplier.example/v2/0123456789abcdef?apikey=fedcba9876543210&page=1 failed'],
    ['its path', 'GET /v2/0123456789abcdef failed'],
    ['a key of its query', 'the key fedcba9876543210 is used up'],
    ['a password as it is written', 'login keeper:p%40ss"word'],
    ['a password as it is meant', 'login keeper:p@ss"word'],
    ['a login of Basic', Buffer.from('keeper:p@ss"word').toString('base64')],
    ['each key of a list', 'bad key QUJDREVGR0hJSktMTU5P+/=='],
    ['the other one', 'bad key cXdlcnR5dWlvcGFzZGZnaGpr'],
    ['a key in a query', `?key=${encodeURIComponent('QUJDREVGR0hJSktMTU5P+/==')}`],
  ])('is cut from every text: %s', (_, text) => {
    const cut = redacted(text);
    expect(cut).toContain('[redacted]');
    for (const secret of ['0123456789abcdef', 'fedcba9876543210', 'ss"word', 'QUJDREVGR0', 'cXdlcnR5', 'QHNzIndvcmQ'])
      expect(cut).not.toContain(secret);
  });

  it('is found where it is escaped for JSON', () => {
    expect(redacted(JSON.stringify({ message: 'login keeper:p@ss"word' }))).toBe(
      '{"message":"login keeper:[redacted]"}',
    );
  });

  it.each([
    'supplier.example answers 500',
    'database "stock_of_the_shop" of keeper',
    'a name that anybody may read',
    'page=1',
  ])('and the rest may be read: %s', (text) => {
    expect(redacted(text)).toBe(text);
  });
});

it('a bearer token is cut, of any issuer', () => {
  expect(redacted('authorization: Bearer eyJhbGciOiJFZERTQSJ9.e30.c2ln, 3 ms')).toBe('authorization: [redacted], 3 ms');
});

it('hosts alone and words such as none are no secrets', () => {
  expect(secretsIn('http://127.0.0.1:8402')).toEqual([]);
  expect(secretsIn('none')).toEqual([]);
  expect(secretsIn('redis://cache.example:6379/0')).toEqual([]);
});

it('a key in lines is cut line by line', () => {
  const pem =
    '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEG\nCCqGSM49AwEHBG0wawIBAQQg\n-----END PRIVATE KEY-----';
  for (const form of [pem, pem.replaceAll('\n', '\\n')]) {
    expect(secretsIn(form)).toEqual(expect.arrayContaining(['MIGHAgEAMBMGByqGSM49AgEG', 'CCqGSM49AwEHBG0wawIBAQQg']));
  }
});
