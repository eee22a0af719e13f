import { createPublicKey, randomUUID, type KeyObject } from 'node:crypto';
import { ManualClock } from '@evenkeel/kernel';
import { es256KeysOf, newEs256Key } from '../config/keys/es256-keys';
import { Es256Signer } from '../config/keys/jws';
import { AccessKeys, AccessTokens } from '.';

const own = es256KeysOf(newEs256Key('now'));
const signer = new Es256Signer(own, 'at+jwt');
const terms = { issuer: 'https://evenkeel.example', audience: 'v1' };
const begun = new Date('2026-01-31T12:00:00Z');

/** Keys that are published until a test takes them back. */
class SomeKeys extends AccessKeys {
  keys = new Map<string, KeyObject>([['now', createPublicKey({ key: { ...own.published[0] }, format: 'jwk' })]]);

  override async keyOf(kid: string): Promise<KeyObject | null> {
    return this.keys.get(kid) ?? null;
  }
}

let clock: ManualClock;
let keys: SomeKeys;
let tokens: AccessTokens;
beforeEach(() => {
  clock = new ManualClock(begun);
  keys = new SomeKeys();
  tokens = new AccessTokens(keys, terms, clock);
});

function aToken(): string {
  const iat = begun.getTime() / 1_000;
  const ids = { sub: randomUUID(), sid: randomUUID(), jti: randomUUID() };
  return signer.sign({ iss: terms.issuer, aud: terms.audience, ...ids, iat, exp: iat + 900, auth_time: iat });
}

const refused = expect.objectContaining({ code: 'unauthorized' }) as object;

it('a token ends when its time is over, clocks may differ by half a minute', async () => {
  const token = aToken();
  clock.advanceMs(929_999);
  expect(await tokens.claimsOf(token)).toMatchObject({ exp: begun.getTime() / 1_000 + 900 });
  clock.advanceMs(1);
  await expect(tokens.claimsOf(token)).rejects.toEqual(refused);
});

it('a token ends with its key, and when the name of its key stands for another one', async () => {
  const token = aToken();
  await tokens.claimsOf(token);
  const [other] = es256KeysOf(newEs256Key('now')).published;
  keys.keys.set('now', createPublicKey({ key: { ...other }, format: 'jwk' }));
  await expect(tokens.claimsOf(token)).rejects.toEqual(refused);
  keys.keys.clear();
  await expect(tokens.claimsOf(token)).rejects.toEqual(refused);
});
