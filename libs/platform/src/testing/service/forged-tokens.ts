import { createHmac, generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { compactJws } from '../../config/keys/jws';
import { es256KeysOf, newEs256Key } from '../../config/keys/named-keys';

/** A forger's means: a good token of somebody, the published keys, and a server of their own. */
interface ForgersKnowledge {
  /** A valid access token. */
  token: string;
  /** As `/.well-known/jwks.json` shows them. */
  publicKeys: readonly Readonly<Record<string, unknown>>[];
  /** Answers with keys of the forger to everybody who asks. */
  evilUrl: string;
  /** Signed by another service of the product, and no token. */
  document: string;
  now: Date;
}

/** The private key, which only tests have: it signs tokens with a single fault. */
interface SigningKey {
  kid: string;
  key: KeyObject;
}

export interface ForgedToken {
  name: string;
  /** The text after `Bearer `. */
  token: string;
}

type Members = Record<string, unknown>;

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Members;

/** Tokens that no route may take, each wrong in one way. */
export function forgedTokens(known: ForgersKnowledge, signing: SigningKey): ForgedToken[] {
  const [headPart = '', claimsPart = '', signature = ''] = known.token.split('.');
  const [head, claims] = [decoded(headPart), decoded(claimsPart)];
  const signed = (claimsOf: object, headOf: Members = {}, key = signing.key) =>
    compactJws({ alg: 'ES256', typ: 'at+jwt', kid: signing.kid, ...headOf }, claimsOf, key);
  const { evilUrl, document, publicKeys } = known;
  const publicKey = publicKeys.find(({ kid }) => kid === signing.kid)!;
  const evil = es256KeysOf(newEs256Key('evil'));
  const seconds = Math.floor(known.now.getTime() / 1_000);
  const [documentHead, says] = document.split('.').slice(0, 2).map(decoded) as [Members, Members];

  const unsigned = ['none', 'None', ''].flatMap((alg) => {
    const text = `${encoded({ ...head, alg })}.${claimsPart}.`;
    return [text, text + signature];
  });
  const hmacs = ['HS256', 'HS512'].flatMap((alg) =>
    hmacSecrets(publicKey).map((secret) => {
      const text = `${encoded({ ...head, alg })}.${claimsPart}`;
      return `${text}.${createHmac(alg.replace('HS', 'sha'), secret).update(text).digest('base64url')}`;
    }),
  );
  const heads = [
    ...['ES384', 'RS256', 7, null].map((alg) => ({ alg })),
    ...['JWT', 'dpop+jwt', 'AT+JWT ', '', undefined].map((typ) => ({ typ })),
    { crit: ['b64'], b64: false },
    { kid: undefined },
  ].map((one) => signed(claims, one));
  const ofAnotherKey = [
    ...['evil', `${evilUrl}/kid`, '../../../../dev/null', "' OR 1 = 1 --", { $ne: null }, 'constructor'].map((kid) => ({
      kid,
    })),
    {},
    { jwk: evil.published[0] },
    { x5u: `${evilUrl}/x5u` },
    { x5c: ['MIIB'] },
    { kid: 'evil', jku: `${evilUrl}/keys` },
  ].map((one) => signed(claims, one, evil.signing.key));
  const otherClaims = [
    ...['v2', '', null, undefined, {}].map((aud) => ({ aud })),
    ...['https://evil.example', null, undefined].map((iss) => ({ iss })),
    ...['sub', 'sid', 'jti', 'exp', 'iat', 'auth_time'].map((name) => ({ [name]: undefined })),
    { exp: seconds - 31 },
    { nbf: seconds + 60 },
    { exp: String(seconds + 900) },
    ...['sub', 'sid'].map((name) => ({ [name]: "x' OR true --" })),
  ].map((one) => signed({ ...claims, ...one }));
  const ofOthers = [
    `${headPart}.${encoded({ ...claims, sub: randomUUID() })}.${signature}`,
    document,
    signed(claims, { typ: documentHead.typ }),
    signed(says),
    signed({ ...claims, more: 'x'.repeat(2_000) }),
    signed(claims, {}, generateKeyPairSync('ed25519').privateKey),
  ];
  const broken = [
    `${headPart}.${claimsPart}.${Buffer.from('300602010102010a', 'hex').toString('base64url')}`,
    `${headPart}.${claimsPart}.${Buffer.alloc(64).toString('base64url')}`,
    `${headPart}.${claimsPart}.`,
    `${headPart}.${claimsPart}`,
    `${known.token}.${signature}`,
    ...['null', '..', 'e30.e30.', 'bnVsbA.bnVsbA.bnVsbA'],
  ];
  const ofNobody = ['sub', 'sid'].map((name) => {
    return { name: `${name} of nobody`, token: signed({ ...claims, [name]: randomUUID() }) };
  });
  const kinds = { unsigned, hmacs, heads, ofAnotherKey, otherClaims, ofOthers, broken };
  const numbered = ([kind, tokens]: [string, string[]]) =>
    tokens.map((token, index) => ({ name: `${kind} ${index}`, token }));
  return [...Object.entries(kinds).flatMap(numbered), ...ofNobody];
}

/** Values that an implementation may use as a secret when it takes the algorithm from the token. */
function hmacSecrets(jwk: Readonly<Record<string, unknown>>): (string | Buffer)[] {
  const coordinates = [jwk.x, jwk.y].map((part) => Buffer.from(String(part), 'base64url'));
  return [JSON.stringify(jwk), Buffer.concat(coordinates), ''];
}
