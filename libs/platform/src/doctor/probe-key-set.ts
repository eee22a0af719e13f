import type { RemoteSignInConfig } from '../auth';
import { readKeySet } from '../auth/remote-access-keys';
import { failureSentence } from './failure-sentence';
import { ok, wrong, type Probe } from './finding';

/** The public keys of access tokens, for a service that signs nobody in itself. */
export function keySetProbe({ jwksUrl, JWKS_URL }: RemoteSignInConfig): Probe {
  const settings = JWKS_URL === undefined ? 'JWKS_URL or PUBLIC_BASE_URL' : 'JWKS_URL';
  const name = `The key set at ${jwksUrl}`;
  return {
    subject: 'jwks',
    settings,
    examine: async (timeoutMs) => {
      try {
        const keys = await readKeySet(jwksUrl, { timeoutMs });
        return [ok('jwks', `${name} has ${[...keys.keys()].join(', ')}.`)];
      } catch (error) {
        return [wrong('jwks', failureSentence(error, { name, settings }))];
      }
    },
  };
}
