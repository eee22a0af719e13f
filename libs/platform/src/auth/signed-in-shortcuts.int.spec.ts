import { createPublicKey, randomUUID } from 'node:crypto';
import { Clock, ManualClock } from '@evenkeel/kernel';
import {
  Body,
  Controller,
  Get,
  Global,
  Module,
  Post,
  UsePipes,
  ValidationPipe,
  type OnModuleInit,
} from '@nestjs/common';
import pino from 'pino';
import { createHttpApp, requestHandler, serve, type RunningHttp } from '../http';
import { anyFreePorts, send, someHttpOptions } from '../http/http.fixture';
import { Es256Signer, es256KeysOf, newEs256Key } from '../keys';
import { ThrottlingModule } from '../throttling';
import {
  AccessKeys,
  AccessTokens,
  CurrentUser,
  LiveSessions,
  SignedInGuard,
  SignedInOnly,
  SignedInShortcuts,
  userOf,
  type AccessClaims,
  type SignedIn,
} from './index';

const own = es256KeysOf(newEs256Key('now'));
const signer = new Es256Signer(own, 'at+jwt');
const terms = { issuer: 'https://evenkeel.example', audience: 'v1' };
const clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));

class OneKey extends AccessKeys {
  override async keyOf() {
    return createPublicKey({ key: { ...own.published[0] }, format: 'jwk' });
  }
}

/** Sessions live until a test ends them; one that is broken cannot be looked at. */
class SomeSessions extends LiveSessions {
  ended = new Set<string>();
  broken = new Set<string>();

  override async find({ sub: userId, sid: sessionId }: AccessClaims): Promise<SignedIn | null> {
    if (this.broken.has(sessionId)) throw new Error('secret');
    return this.ended.has(sessionId) ? null : { userId, sessionId };
  }
}
const sessions = new SomeSessions();

@SignedInOnly(['user'])
@Controller('me')
class MeController implements OnModuleInit {
  constructor(private readonly shortcuts: SignedInShortcuts) {}

  onModuleInit(): void {
    this.shortcuts.serve(this, 'me');
  }

  @Get() me(@CurrentUser() { userId }: SignedIn): object {
    return { userId, name: 'Žofie' };
  }
}

@Global()
@Module({ providers: [{ provide: Clock, useValue: clock }], exports: [Clock] })
class ClockModule {}

const throttling = ThrottlingModule.forRoot(
  { REPLICA_COUNT: 1, TRUSTED_PROXY_HOPS: 0, RATE_LIMIT_SCALE: 1 },
  { user: { rate: { limit: 3, windowSeconds: 60 }, scope: 'user', callerOf: userOf } },
);
const tokens = { provide: AccessTokens, useValue: new AccessTokens(new OneKey(), terms, clock) };
const live = { provide: LiveSessions, useValue: sessions };
@Module({
  imports: [ClockModule, throttling],
  controllers: [MeController],
  providers: [tokens, live, SignedInGuard, SignedInShortcuts],
})
class MeModule {}

let running: RunningHttp;
let shortcuts: SignedInShortcuts;
let served: string[];
const lines: string[] = [];
beforeAll(async () => {
  const logger = pino({}, { write: (line) => void lines.push(line) });
  const app = await createHttpApp(MeModule, someHttpOptions({ logger }));
  running = await serve(await requestHandler(app), anyFreePorts(), () => app.close());
  shortcuts = app.get(SignedInShortcuts);
  served = app.getHttpAdapter().getInstance().shortcuts.routes;
});
afterAll(() => running.close());

function somebody() {
  const iat = clock.now().getTime() / 1_000;
  const ids = { sub: randomUUID(), sid: randomUUID(), jti: randomUUID() };
  const token = signer.sign({ iss: terms.issuer, aud: terms.audience, ...ids, iat, exp: iat + 900, auth_time: iat });
  return { ...ids, token };
}

const ask = (token: string, method = 'GET', id = 'the-same-one') =>
  send(`${running.url}/me`, { method, headers: { authorization: `Bearer ${token}`, 'x-request-id': id } });

it('answers as the framework does, which still has HEAD', async () => {
  expect(served).toEqual(['GET /me']);
  const { sub, token } = somebody();
  const read = await ask(token);
  expect([read.status, read.json()]).toEqual([200, { userId: sub, name: 'Žofie' }]);
  const { date: _then, ratelimit: first, ...headers } = read.headers;
  const { date: _now, ratelimit: second, ...ofFramework } = (await ask(token, 'HEAD')).headers;
  expect(headers).toEqual(ofFramework);
  expect([first, second]).toEqual(['"user";r=2;t=60', '"user";r=1;t=60']);
});

it('lets nobody in without a live session', async () => {
  const { sid, token } = somebody();
  sessions.ended.add(sid);
  for (const refused of [token, 'forged']) {
    const { status, headers, json } = await ask(refused);
    expect([status, json().error, headers['www-authenticate']]).toEqual([
      401,
      'unauthorized',
      'Bearer error="invalid_token"',
    ]);
  }
});

it('has a line in the log for a refusal, and counts what was answered', async () => {
  const { token } = somebody();
  expect((await ask(token, 'GET', 'was-answered')).status).toBe(200);
  expect((await ask('forged', 'GET', 'was-refused')).status).toBe(401);
  const ids = lines.map((line) => (JSON.parse(line) as { requestId?: string }).requestId);
  expect(ids).toContain('was-refused');
  expect(ids).not.toContain('was-answered');
});

it('holds a user to the limit that the controller names', async () => {
  const { token } = somebody();
  for (let hit = 0; hit < 3; hit++) expect((await ask(token)).status).toBe(200);
  const { status, headers, json } = await ask(token);
  expect([status, json().error, headers['retry-after']]).toEqual([429, 'rate_limited', '60']);
});

it('hides what failed', async () => {
  const { sid, token } = somebody();
  sessions.broken.add(sid);
  const { status, text } = await ask(token);
  expect(status).toBe(500);
  expect(text).not.toContain('secret');
});

it('serves no handler that needs more', () => {
  @SignedInOnly([])
  @Controller('a')
  class Demanding {
    @Post('b') post(@CurrentUser() user: SignedIn): object {
      return user;
    }
    @Get('c') withBody(@CurrentUser() user: SignedIn, @Body() body: object): object {
      return { user, body };
    }
    @UsePipes(ValidationPipe) @Get('d') piped(@CurrentUser() user: SignedIn): object {
      return user;
    }
  }
  @Controller('e')
  class Open {
    @Get() open(@CurrentUser() user: SignedIn): object {
      return user;
    }
  }
  for (const name of ['post', 'withBody', 'piped'] as const) {
    expect(() => shortcuts.serve(new Demanding(), name)).toThrow(/must be a GET|bare connection/);
  }
  expect(() => shortcuts.serve(new Open(), 'open')).toThrow(/must be a GET/);
});
