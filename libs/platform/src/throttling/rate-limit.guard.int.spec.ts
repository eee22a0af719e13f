import { Clock, ManualClock } from '@evenkeel/kernel';
import { Controller, Get, Global, Module, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { RunningHttp } from '../http';
import { send, startApp } from '../http/http.fixture';
import { LimitedBy, RateLimitGuard } from './route-limits';
import { ThrottlingModule, type LimitSettings } from './throttling.module';

@Controller()
@UseGuards(RateLimitGuard)
@LimitedBy('reading')
class LibraryController {
  @Get('book') book(): object {
    return {};
  }
  @Get('page') page(): object {
    return {};
  }
  @Get('search') @LimitedBy('reading', 'searching') search(): object {
    return {};
  }
  @Get('door') @LimitedBy() door(): object {
    return {};
  }
}

const clock = new ManualClock(new Date(0));
@Global()
@Module({ providers: [{ provide: Clock, useValue: clock }], exports: [Clock] })
class ClockModule {}

const settings = { REPLICA_COUNT: 1, TRUSTED_PROXY_HOPS: 1, RATE_LIMIT_SCALE: 1 };
const throttling = ThrottlingModule.forRoot(settings, {
  reading: { rate: { limit: 3, windowSeconds: 60 }, scope: 'address' },
  searching: {
    rate: { limit: 1, windowSeconds: 10 },
    scope: 'user',
    callerOf: ({ raw: { headers } }) => String(headers.user),
  },
});
@Module({ imports: [ClockModule, throttling], controllers: [LibraryController] })
class LibraryModule {}

let running: RunningHttp;
beforeAll(async () => (running = await startApp(LibraryModule, { trustedProxyHops: 1 })));
afterAll(() => running.close());
/** Each test has the windows of its own, from their beginning. */
beforeEach(() => clock.advanceMs(180_000 - (clock.now().getTime() % 60_000)));

const get = (path: string, address = '192.0.2.1', user = 'ann') =>
  send(`${running.url}/${path}`, { headers: { 'x-forwarded-for': address, user } });

describe('a limited route', () => {
  it('says the limit status on every answer', async () => {
    const { headers } = await get('book');
    expect(headers).toMatchObject({ 'ratelimit-policy': '"reading";q=3;w=60', ratelimit: '"reading";r=2;t=60' });
    clock.advanceMs(1_500);
    expect((await get('book')).headers.ratelimit).toBe('"reading";r=1;t=59');
  });

  it('refuses over the limit in the documented shape, until it said', async () => {
    for (let hit = 0; hit < 3; hit++) await get('book');
    clock.advanceMs(20_001);
    const { status, headers, json } = await get('book');
    // A third of the next window has to pass, so that two of the three hits are left.
    expect([status, headers['retry-after'], headers.ratelimit]).toEqual([429, '60', '"reading";r=0;t=60']);
    expect(json()).toMatchObject({
      error: 'rate_limited',
      details: { scope: 'address', limit: 3, window_seconds: 60 },
    });
    clock.advanceMs(58_000);
    expect((await get('book')).status).toBe(429);
    clock.advanceMs(2_000);
    expect((await get('book')).status).toBe(200);
  });

  it('shares its limit with others of the same name, not with other callers', async () => {
    for (const path of ['book', 'page', 'book']) await get(path);
    expect((await get('page')).status).toBe(429);
    expect((await get('page', '192.0.2.2')).status).toBe(200);
  });

  it('counts a subscriber of IPv6 once', async () => {
    for (let host = 1; host < 4; host++) await get('book', `2001:db8:1:2::${host}`);
    expect((await get('book', '2001:db8:1:2::4')).status).toBe(429);
    expect((await get('book', '2001:db8:1:3::4')).status).toBe(200);
  });

  it('may have several limits, each with its own caller', async () => {
    const { headers } = await get('search');
    expect(headers).toMatchObject({
      'ratelimit-policy': '"searching";q=1;w=10, "reading";q=3;w=60',
      ratelimit: '"searching";r=0;t=10, "reading";r=2;t=60',
    });
    expect((await get('search', '192.0.2.9')).json().details).toEqual({ scope: 'user', limit: 1, window_seconds: 10 });
    expect((await get('search', '192.0.2.9', 'bob')).status).toBe(200);
  });

  it('may have none', async () => {
    for (let hit = 0; hit < 5; hit++) expect((await get('door')).headers.ratelimit).toBeUndefined();
  });
});

describe('multiplied limits', () => {
  async function warningsOf(multiplied: Partial<LimitSettings>): Promise<unknown[]> {
    const warn = jest.fn();
    const imports = [ClockModule, ThrottlingModule.forRoot({ ...settings, ...multiplied }, {})];
    const logger = { log: jest.fn(), error: jest.fn(), warn };
    await (await NestFactory.createApplicationContext({ module: class Multiplied {}, imports }, { logger })).close();
    return warn.mock.calls.map(([line]: unknown[]) => line);
  }

  it('are warned of in production', async () =>
    expect(await warningsOf({ NODE_ENV: 'production', RATE_LIMIT_SCALE: 10 })).toEqual([
      { message: 'RATE_LIMIT_SCALE is not 1', RATE_LIMIT_SCALE: 10 },
    ]));

  it('are nothing to speak of elsewhere, nor are limits as they are', async () => {
    expect(await warningsOf({ RATE_LIMIT_SCALE: 10 })).toEqual([]);
    expect(await warningsOf({ NODE_ENV: 'production' })).toEqual([]);
  });
});
