import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import {
  InvalidConfig,
  IsCrashPoint,
  IsDatabaseUrl,
  IsInternalUrl,
  IsOutboundUrl,
  IsPort,
  IsRate,
  IsSwitch,
  loadConfig,
  plainTextWarnings,
  ProcessCrash,
  scaled,
  ServiceConfig,
  type Rate,
} from '.';

class ShopConfig {
  @IsIn(['development', 'production']) NODE_ENV = 'development';
  @IsPort() PORT = 3_000;
  @Type(() => Number) @IsInt() @Min(1) @Max(60) RETRY_AFTER_SECONDS = 5;
  @IsSwitch() SALE = false;
  @IsRate() RATE_ORDERS: Rate = { limit: 600, windowSeconds: 60 };
  @IsOutboundUrl() SUPPLIER_URL = 'https://supplier.example/api';
  @IsOptional() @IsInternalUrl() TRACES_URL?: string;
  @IsDatabaseUrl() DATABASE_URL!: string;
  @IsOptional() @Matches(/^sk_/) SECRET_KEY?: string;
  @IsCrashPoint('shop', ['paid', 'sent']) CRASH_AT?: 'paid' | 'sent';
}

type Settings = Record<string, string>;

const valid = { DATABASE_URL: 'postgres://shop@localhost/shop' };

function problemsOf(env: Settings, type: new () => object = ShopConfig): readonly string[] {
  try {
    loadConfig(type, { ...valid, ...env });
    return [];
  } catch (error) {
    if (error instanceof InvalidConfig) return error.problems;
    throw error;
  }
}

describe('settings', () => {
  it('keep the defaults of what is unset or empty, and are of the types that the class declares', () => {
    const config = loadConfig(ShopConfig, { ...valid, PORT: '', SECRET_KEY: '', HOME: '/home/me' });
    const rate = { limit: 600, windowSeconds: 60 };
    expect(config).toEqual(Object.assign(new ShopConfig(), valid, { RATE_ORDERS: rate }));
    const given = { PORT: '0', RETRY_AFTER_SECONDS: '7', SALE: 'on', SECRET_KEY: 'sk_1', RATE_ORDERS: '20/3600' };
    expect(loadConfig(ShopConfig, { ...valid, ...given })).toMatchObject({
      PORT: 0,
      RETRY_AFTER_SECONDS: 7,
      SALE: true,
      SECRET_KEY: 'sk_1',
      RATE_ORDERS: { limit: 20, windowSeconds: 3_600 },
    });
  });

  it('that are not set are named first, then every bad one, and never a value', () => {
    const needs = { SECRET_KEY: 'SECRET_KEY is required by a till' };
    expect(() => loadConfig(ShopConfig, { PORT: 'hunter2', SALE: 'hunter3' }, needs)).toThrow(
      /^The configuration is not valid\. Not set, and required: DATABASE_URL, SECRET_KEY\.\n- PORT (?!.*hunter).*\n- SALE (?!.*hunter).*\n- DATABASE_URL .*\n- SECRET_KEY is required by a till$/,
    );
    expect(() => loadConfig(ShopConfig, { ...valid, PORT: 'x' })).toThrow(
      /^The configuration is not valid:\n- PORT [^\n]*$/,
    );
    expect(loadConfig(ShopConfig, { ...valid, SECRET_KEY: 'sk_1' }, needs).SECRET_KEY).toBe('sk_1');
  });

  it.each([
    ['PORT', 'a port number from 0 to 65535', ['-1', '65536', '80.5', '0x50', '1e3', ' 80', 'eighty']],
    ['SALE', 'on or off', ['true', 'false', '1', 'ON']],
    ['RATE_ORDERS', 'count/seconds, such as 600/60', ['600', '/60', '0/60', '600/0', '-1/60', '6e2/60', '600/60/1']],
    ['DATABASE_URL', 'a postgres:// address', ['shop', 'localhost:5432/shop', 'mysql://shop@localhost/shop']],
    ['CRASH_AT', 'one of shop:paid, shop:sent', ['shop:lost', 'shop:', 'paid', 'shop:paid:sent', ' shop:paid']],
  ])('%s must be %s', (name, expected, texts) => {
    for (const text of texts) expect(problemsOf({ [name]: text })).toEqual([`${name} must be ${expected}`]);
  });

  it('a rate is multiplied within its window, and allows at least one', () => {
    expect(scaled({ limit: 600, windowSeconds: 60 }, 2.5)).toEqual({ limit: 1_500, windowSeconds: 60 });
    expect(scaled({ limit: 3, windowSeconds: 60 }, 0.01)).toEqual({ limit: 1, windowSeconds: 60 });
  });

  it('a step to crash at is one of this app, outside production, and the process kills itself there alone', () => {
    expect(loadConfig(ShopConfig, { ...valid, CRASH_AT: 'billing:paid' }).CRASH_AT).toBeUndefined();
    expect(problemsOf({ CRASH_AT: 'shop:paid', NODE_ENV: 'production' })).toEqual([
      'CRASH_AT must not be set when NODE_ENV=production',
    ]);
    const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
    const crash = new ProcessCrash<string>(loadConfig(ShopConfig, { ...valid, CRASH_AT: 'shop:paid' }).CRASH_AT);
    crash.pass('sent');
    expect(kill).not.toHaveBeenCalled();
    crash.pass('paid');
    expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL');
    kill.mockRestore();
  });

  const PRODUCTION = 'production';
  it.each([
    ['SUPPLIER_URL', 'https://a.example:8443/x?y=1', PRODUCTION, true],
    ['SUPPLIER_URL', 'http://[::1]:8402', 'development', true],
    ['SUPPLIER_URL', 'http://supplier:8402', 'development', true],
    ['SUPPLIER_URL', 'http://supplier:8402', PRODUCTION, false],
    ['SUPPLIER_URL', 'http://supplier.shop.svc', 'development', false],
    ['SUPPLIER_URL', 'http://127.0.0.1.a.example', 'development', false],
    ['SUPPLIER_URL', 'https://user:pass@a.example', 'development', false],
    ['SUPPLIER_URL', 'https://a.example/#x', 'development', false],
    ['SUPPLIER_URL', 'a.example', 'development', false],
    ['TRACES_URL', 'http://collector:4318', PRODUCTION, true],
    ['TRACES_URL', 'http://collector.observability.svc:4318', PRODUCTION, true],
    ['TRACES_URL', 'http://127.0.0.1:4318', 'development', true],
    ['TRACES_URL', 'http://127.0.0.1:4318', PRODUCTION, false],
    ['TRACES_URL', 'http://traces.example', 'development', false],
    ['TRACES_URL', 'http://collector.svc.example', PRODUCTION, false],
  ])('%s may be %s in %s: %p', (name, url, NODE_ENV, allowed) => {
    const refusal = expect.stringMatching(new RegExp(`^${name} must be an https address`)) as string;
    expect(problemsOf({ [name]: url, NODE_ENV })).toEqual(allowed ? [] : [refusal]);
  });
});

describe('a setting from a file', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'settings-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  function file(text: string): string {
    const path = join(folder, String(text.length));
    writeFileSync(path, text);
    return path;
  }

  it('is its text without the end of the line, and no setting of another name that ends like one', () => {
    const env = { DATABASE_URL_FILE: file(`${valid.DATABASE_URL}\n`), PORT_FILE: file('8000'), UNKNOWN_FILE: 'none' };
    expect(loadConfig(ShopConfig, env)).toMatchObject({ ...valid, PORT: 8_000 });
  });

  it('is refused beside the setting itself, and where it cannot be read', () => {
    expect(problemsOf({ DATABASE_URL_FILE: file(valid.DATABASE_URL) })).toEqual([
      'DATABASE_URL and DATABASE_URL_FILE are both set: keep one of them',
    ]);
    expect(problemsOf({ SECRET_KEY_FILE: join(folder, 'nothing') })).toEqual([
      'SECRET_KEY_FILE must be a file that this process can read',
    ]);
    expect(problemsOf({ SECRET_KEY_FILE: file('hunter6') }).join()).toMatch(/^SECRET_KEY must/);
  });
});

describe('a server that is reached as plain text', () => {
  class StoreConfig extends ServiceConfig {
    @IsOptional() SMTP_URL?: string;
  }
  const base = { DATABASE_URL: 'postgres://a@127.0.0.1/a', NODE_ENV: 'production' };
  const named = (sentences: readonly string[]) => sentences.map((sentence) => sentence.split(' ')[0]).sort();

  it.each<[Settings, names: string[]]>([
    [{ DATABASE_URL: 'postgres://a@db.example.com/a?sslmode=prefer' }, ['DATABASE_URL']],
    [{ DATABASE_URL: 'postgres://a@db.example.com/a?sslmode=verify-full' }, []],
    [{ REDIS_URL: 'redis://:b@[2001:db8::1]:6379' }, ['REDIS_URL']],
    [{ REDIS_URL: 'rediss://:b@8.8.8.8:6379' }, []],
    [{ KAFKA_BROKERS: 'kafka.evenkeel-backing.svc:9092,b1.example.com:9092' }, ['KAFKA_BROKERS']],
    [{ KAFKA_BROKERS: 'b1.example.com:9092', KAFKA_TLS: 'on' }, []],
    [{ SMTP_URL: 'smtp://a:b@mail.example.com:587' }, ['SMTP_URL']],
    [{ SMTP_URL: 'smtp://a:b@mail.example.com:587?requireTLS=true' }, []],
    [{ REDIS_URL: 'redis://8.8.8.8', NODE_ENV: 'development' }, []],
    [{ REDIS_URL: 'redis://8.8.8.8', MESH_TLS: 'on' }, ['REDIS_URL']],
  ])('at a public address is refused in production: %j', (env, names) => {
    expect(named(problemsOf({ ...base, ...env }, StoreConfig))).toEqual(names);
  });

  it('within the cluster is warned of, unless a mesh encrypts, and on this machine it is not', () => {
    const stores = { REDIS_URL: 'redis://:b@redis.evenkeel-backing.svc', KAFKA_BROKERS: '10.1.2.3:9092,kafka:9092' };
    const env = { ...base, ...stores };
    expect(problemsOf(env, StoreConfig)).toEqual([]);
    expect(named(plainTextWarnings(StoreConfig, env))).toEqual(['KAFKA_BROKERS', 'REDIS_URL']);
    expect(plainTextWarnings(StoreConfig, { ...env, MESH_TLS: 'on' })).toEqual([]);
  });
});
