import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPublicKey } from 'node:crypto';
import { newEs256Key, verifiedClaims, type PublicEs256Key } from '@evenkeel/platform/config';
import { Accounts } from '../accounts.fixture';
import { OtherService } from './other-service.fixture';

const PATH = '/.well-known/jwks.json';
const [old, next] = [newEs256Key('old'), newEs256Key('next')];
const HOUR_MS = 3_600_000;

it('are published, and nothing that could sign', async () => {
  const accounts = await Accounts.start({ JWT_KEYS: `${next},${old}` });
  try {
    const { status, text, headers, body } = await accounts.send(PATH);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const published = { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String) };
    expect(body).toEqual({
      keys: ['next', 'old'].map((kid) => ({ ...published, kid, use: 'sig', alg: 'ES256' })),
    });
    expect(text).not.toContain('"d"');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(headers.get('ratelimit-policy')).toMatch(/^"discovery"/);
    const known = { 'if-none-match': headers.get('etag')! };
    expect((await accounts.send(PATH, { headers: known })).status).toBe(304);
    expect((await accounts.send(PATH, { method: 'HEAD' })).headers.get('etag')).toBe(headers.get('etag'));

    const { keys } = body as unknown as { keys: PublicEs256Key[] };
    const { token, id } = await accounts.person();
    expect(verifiedClaims(token, keys, 'at+jwt')).toMatchObject({ sub: id });
    expect(createPublicKey({ key: { ...keys[0] }, format: 'jwk' }).type).toBe('public');
  } finally {
    await accounts.close();
  }
});

describe('a rotation in three roll-outs', () => {
  /** The key settings before and after each. */
  const STEPS = [
    [old, `${old},${next}`],
    [`${old},${next}`, `${next},${old}`],
    [`${next},${old}`, next],
  ] as const;
  const PAUSES_MS = [HOUR_MS, 24 * HOUR_MS, 0];
  const closing: (() => unknown)[] = [];
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });

  it('refuses no token that is still good, here or in another service', async () => {
    const first = await Accounts.start({ JWT_KEYS: old });
    closing.push(() => first.close());
    const { url: DATABASE_URL } = first.database;
    // As behind a balancer: one of the replicas, while both kinds run.
    let serving = first.running.url;
    const balancer = createServer((_request, response) => {
      void fetch(serving + PATH).then(async (answer) => response.end(await answer.text()));
    });
    closing.push(() => void balancer.close());
    balancer.listen(0, '127.0.0.1');
    await once(balancer, 'listening');
    const jwksUrl = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}${PATH}`;
    const { clock, broker } = first;
    const other = await OtherService.start({ jwksUrl, transport: broker, clock });
    closing.push(() => other.close());
    const { email, password } = await first.person();
    const tokens: { token: string; untilMs: number }[] = [];
    const statuses: number[] = [];

    for (const [step, settings] of STEPS.entries()) {
      const replicas = [];
      for (const JWT_KEYS of settings) {
        const replica = await Accounts.start({ DATABASE_URL, JWT_KEYS });
        closing.push(() => replica.close());
        replica.clock.set(clock.now());
        replicas.push(replica);
      }
      for (const replica of replicas) {
        const { body } = await replica.ask('POST', '/v1/auth/login', { body: { email, password } });
        tokens.push({ token: String(body.accessToken), untilMs: clock.now().getTime() + 900_000 });
      }
      const good = tokens.filter(({ untilMs }) => untilMs > clock.now().getTime());
      for (const replica of replicas) {
        serving = replica.running.url;
        for (const { token } of good) {
          statuses.push((await replica.ask('GET', '/v1/auth/me', { token })).status, (await other.me(token)).status);
        }
      }
      serving = replicas[1]!.running.url;
      clock.advanceMs(PAUSES_MS[step]!);
      replicas[1]!.clock.set(clock.now());
      // A request now and then, as there always are: the other service looks for new keys.
      const { body } = await replicas[1]!.ask('POST', '/v1/auth/login', { body: { email, password } });
      statuses.push((await other.me(String(body.accessToken))).status);
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(statuses.length).toBeGreaterThan(20);
  });
});
