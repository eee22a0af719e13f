import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import {
  InvalidConfig,
  IsDatabaseUrl,
  IsInternalUrl,
  IsOutboundUrl,
  IsPort,
  IsSwitch,
  loadConfig,
  plainTextWarnings,
  ServiceConfig,
} from '.';

class ShopConfig {
  @IsIn(['development', 'production']) NODE_ENV = 'development';
  @IsPort() PORT = 3_000;
  @Type(() => Number) @IsInt() @Min(1) @Max(60) RETRY_AFTER_SECONDS = 5;
  @IsSwitch() SALE = false;
  @IsOutboundUrl() SUPPLIER_URL = 'https://supplier.example/api';
  @IsOptional() @IsInternalUrl() TRACES_URL?: string;
  @IsDatabaseUrl() DATABASE_URL!: string;
  @IsOptional() @Matches(/^sk_/) SECRET_KEY?: string;
}

const valid = { DATABASE_URL: 'postgres://shop@localhost/shop' };

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(ShopConfig, { ...valid, ...env });
  } catch (error) {
    if (error instanceof InvalidConfig) return error.problems;
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('keeps the defaults of what is unset or empty', () => {
    const config = loadConfig(ShopConfig, { ...valid, PORT: '', SALE: undefined, SECRET_KEY: '' });
    expect(config).toBeInstanceOf(ShopConfig);
    expect(config).toMatchObject({ PORT: 3_000, RETRY_AFTER_SECONDS: 5, SALE: false, ...valid });
    expect(config.SECRET_KEY).toBeUndefined();
  });

  it('reads types', () => {
    const env = { ...valid, PORT: '0', RETRY_AFTER_SECONDS: '7', SALE: 'on', SECRET_KEY: 'sk_1' };
    expect(loadConfig(ShopConfig, env)).toMatchObject({
      PORT: 0,
      RETRY_AFTER_SECONDS: 7,
      SALE: true,
      SECRET_KEY: 'sk_1',
    });
  });

  it('names first what is not set', () => {
    const needs = { SECRET_KEY: 'SECRET_KEY is required by a till' };
    expect(() => loadConfig(ShopConfig, { PORT: 'x' }, needs)).toThrow(
      /^The configuration is not valid\. Not set, and required: DATABASE_URL, SECRET_KEY\.\n- PORT .*\n- DATABASE_URL .*\n- SECRET_KEY is required by a till$/,
    );
    expect(() => loadConfig(ShopConfig, { ...valid, PORT: 'x' })).toThrow(
      /^The configuration is not valid:\n- PORT [^\n]*$/,
    );
    expect(loadConfig(ShopConfig, { ...valid, SECRET_KEY: 'sk_1' }, needs).SECRET_KEY).toBe('sk_1');
  });

  it('has only what the class declares', () => {
    expect(Object.keys(loadConfig(ShopConfig, { ...valid, HOME: '/home/me' }))).not.toContain('HOME');
  });

  it('names every bad variable and never a value', () => {
    const env = { PORT: 'hunter2', SALE: 'hunter3', SECRET_KEY: 'hunter4', RETRY_AFTER_SECONDS: 'hunter5' };
    const attempt = () => loadConfig(ShopConfig, env);
    expect(attempt).toThrow(InvalidConfig);
    for (const name of [...Object.keys(env), 'DATABASE_URL']) expect(attempt).toThrow(name);
    expect(attempt).not.toThrow('hunter');
  });

  it.each(['-1', '65536', '80.5', '0x50', '1e3', ' 80', 'eighty'])('refuses the port %p', (PORT) => {
    expect(problemsOf({ PORT })).toEqual(['PORT must be a port number from 0 to 65535']);
  });

  it.each(['true', 'false', '1', 'ON', 'yes'])('refuses the switch %p', (SALE) => {
    expect(problemsOf({ SALE })).toEqual(['SALE must be on or off']);
  });

  it.each(['postgres://shop@localhost/shop', 'postgresql://shop:p%40ss@db:5432/shop?sslmode=require'])(
    'takes the database %p',
    (DATABASE_URL) => expect(problemsOf({ DATABASE_URL })).toEqual([]),
  );

  it.each(['shop', 'localhost:5432/shop', 'mysql://shop@localhost/shop', 'postgres://'])(
    'refuses the database %p',
    (DATABASE_URL) => expect(problemsOf({ DATABASE_URL })).toEqual(['DATABASE_URL must be a postgres:// address']),
  );

  it.each([
    ['https://a.example', 'production', true],
    ['https://a.example:8443/x?y=1', 'production', true],
    ['http://localhost:8402', 'development', true],
    ['http://127.0.0.1:8402', 'development', true],
    ['http://[::1]:8402', 'development', true],
    ['http://supplier:8402', 'development', true],
    ['http://localhost:8402', 'production', false],
    ['http://supplier:8402', 'production', false],
    ['http://supplier.shop.svc', 'development', false],
    ['http://a.example', 'development', false],
    ['http://127.0.0.1.a.example', 'development', false],
    ['https://user:pass@a.example', 'development', false],
    ['https://a.example/#x', 'development', false],
    ['ftp://a.example', 'development', false],
    ['a.example', 'development', false],
  ])('the address %p is allowed in %s: %p', (SUPPLIER_URL, NODE_ENV, allowed) => {
    const problems = problemsOf({ SUPPLIER_URL, NODE_ENV });
    expect(problems.length === 0).toBe(allowed);
    if (!allowed) expect(problems[0]).toMatch(/^SUPPLIER_URL must be an https address/);
  });

  it.each([
    ['https://traces.example', 'production', true],
    ['http://collector:4318', 'production', true],
    ['http://collector.observability.svc:4318', 'production', true],
    ['http://collector.observability.svc.cluster.local', 'production', true],
    ['http://collector.observability.svc', 'development', true],
    ['http://127.0.0.1:4318', 'development', true],
    ['http://[::1]:4318', 'development', true],
    ['http://127.0.0.1:4318', 'production', false],
    ['http://traces.example', 'production', false],
    ['http://traces.example', 'development', false],
    ['http://svc.example', 'production', false],
    ['http://collector.svc.example', 'production', false],
    ['https://user:pass@collector.svc', 'production', false],
    ['collector', 'production', false],
  ])('the address %p within the cluster is allowed in %s: %p', (TRACES_URL, NODE_ENV, allowed) => {
    const problems = problemsOf({ TRACES_URL, NODE_ENV });
    expect(problems.length === 0).toBe(allowed);
    if (!allowed) expect(problems[0]).toMatch(/^TRACES_URL must be an https address/);
  });
});

describe('what every service reads', () => {
  class AnyConfig extends ServiceConfig {}
  const load = (env: Record<string, string>) => loadConfig(AnyConfig, { ...valid, ...env });

  it('has the origins that may read the restricted paths, none by default', () => {
    expect(load({}).corsOrigins).toEqual([]);
    expect(load({ CORS_ORIGINS: 'https://a.example,https://b.example' }).corsOrigins).toEqual([
      'https://a.example',
      'https://b.example',
    ]);
  });
});

describe('a setting from a file', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'settings-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  function file(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  }

  it('is its text without the end of the line', () => {
    const env = { DATABASE_URL_FILE: file('url', `${valid.DATABASE_URL}\n`), PORT_FILE: file('port', '8000') };
    expect(loadConfig(ShopConfig, env)).toMatchObject({ ...valid, PORT: 8_000 });
  });

  it('is refused beside the setting itself, and where it cannot be read', () => {
    expect(problemsOf({ DATABASE_URL_FILE: file('url', valid.DATABASE_URL) })).toEqual([
      'DATABASE_URL and DATABASE_URL_FILE are both set: keep one of them',
    ]);
    expect(problemsOf({ SECRET_KEY_FILE: join(folder, 'nothing') })).toEqual([
      'SECRET_KEY_FILE must be a file that this process can read',
    ]);
    expect(problemsOf({ SECRET_KEY_FILE: file('key', 'hunter6') }).join()).toMatch(/^SECRET_KEY must/);
  });

  it('is no setting of another name that ends like one', () => {
    const env = { ...valid, UNKNOWN_FILE: join(folder, 'nothing') };
    expect(loadConfig(ShopConfig, env)).toMatchObject(valid);
  });
});

describe('a server that is reached as plain text', () => {
  class StoreConfig extends ServiceConfig {
    @IsOptional() SMTP_URL?: string;
  }
  const database = { DATABASE_URL: 'postgres://a@127.0.0.1/a', NODE_ENV: 'production' };

  function refusalsOf(env: Record<string, string>): readonly string[] {
    try {
      loadConfig(StoreConfig, { ...database, ...env });
      return [];
    } catch (error) {
      return (error as InvalidConfig).problems;
    }
  }

  it.each<[Record<string, string>, names: string[]]>([
    [{ DATABASE_URL: 'postgres://a@db.example.com/a' }, ['DATABASE_URL']],
    [{ DATABASE_URL: 'postgres://a@db.example.com/a?sslmode=prefer' }, ['DATABASE_URL']],
    [{ DATABASE_URL: 'postgres://a@db.example.com/a?sslmode=verify-full' }, []],
    [{ REDIS_URL: 'redis://:b@8.8.8.8:6379' }, ['REDIS_URL']],
    [{ REDIS_URL: 'redis://:b@[2001:db8::1]:6379' }, ['REDIS_URL']],
    [{ REDIS_URL: 'rediss://:b@8.8.8.8:6379' }, []],
    [{ KAFKA_BROKERS: 'kafka.evenkeel-backing.svc:9092,b1.example.com:9092' }, ['KAFKA_BROKERS']],
    [{ KAFKA_BROKERS: 'b1.example.com:9092', KAFKA_TLS: 'on' }, []],
    [{ SMTP_URL: 'smtp://a:b@mail.example.com:587' }, ['SMTP_URL']],
    [{ SMTP_URL: 'smtp://a:b@mail.example.com:587?requireTLS=true' }, []],
    [{ REDIS_URL: 'redis://8.8.8.8', NODE_ENV: 'development' }, []],
    [{ REDIS_URL: 'redis://8.8.8.8', MESH_TLS: 'on' }, ['REDIS_URL']],
  ])('at a public address is refused in production: %j', (env, names) => {
    expect(refusalsOf(env).map((sentence) => sentence.split(' ')[0])).toEqual(names);
  });

  it('within the cluster is warned of, unless a mesh encrypts, and on this machine is nobody’s business', () => {
    const env = {
      ...database,
      REDIS_URL: 'redis://:b@redis.evenkeel-backing.svc',
      KAFKA_BROKERS: '10.1.2.3:9092,kafka:9092',
    };
    expect(refusalsOf(env)).toEqual([]);
    const warnings = plainTextWarnings(StoreConfig, env);
    expect(warnings.map((sentence) => sentence.split(' ')[0])).toEqual(
      expect.arrayContaining(['REDIS_URL', 'KAFKA_BROKERS']),
    );
    expect(warnings).toHaveLength(2);
    expect(plainTextWarnings(StoreConfig, { ...env, MESH_TLS: 'on' })).toEqual([]);
  });
});
