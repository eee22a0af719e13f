import { createHmac, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
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

/** Tokens that no route may take: at least 70, each wrong in one way. */
export function forgedTokens(known: ForgersKnowledge, signing: SigningKey): ForgedToken[] {
  const [headPart = '', claimsPart = '', signature = ''] = known.token.split('.');
  const [head, claims] = [decoded(headPart), decoded(claimsPart)];
  const list: ForgedToken[] = [];
  const add = (name: string, token: string) => list.push({ name, token });
  const signed = (claimsOf: object, headOf: Members = {}, key = signing.key) =>
    signedText({ alg: 'ES256', typ: 'at+jwt', kid: signing.kid, ...headOf }, claimsOf, key);

  for (const alg of ['none', 'None', 'NONE', '']) {
    add(`algorithm ${alg}`, `${encoded({ ...head, alg })}.${claimsPart}.`);
    add(`algorithm ${alg}, with the signature`, `${encoded({ ...head, alg })}.${claimsPart}.${signature}`);
  }
  const publicKey = known.publicKeys.find(({ kid }) => kid === signing.kid)!;
  for (const alg of ['HS256', 'HS384', 'HS512']) {
    for (const [what, secret] of hmacSecrets(publicKey)) {
      const text = `${encoded({ ...head, alg })}.${claimsPart}`;
      const hmac = createHmac(alg.replace('HS', 'sha'), secret).update(text).digest('base64url');
      add(`${alg} with ${what}`, `${text}.${hmac}`);
    }
  }
  const evil = es256KeysOf(newEs256Key('evil'));
  const { evilUrl } = known;
  const heads: Members[] = [
    ...['ES384', 'RS256', 'PS256', 'EdDSA', 7, null].map((alg) => ({ alg })),
    ...['JWT', 'jwt', 'dpop+jwt', 'logout+jwt', 'AT+JWT ', '', null, undefined].map((typ) => ({ typ })),
    { crit: ['b64'], b64: false },
    { crit: [] },
    { kid: undefined },
  ];
  for (const head of heads) add(`head ${JSON.stringify(head)}`, signed(claims, head));
  const evilHeads: Members[] = [
    ...['evil', `${evilUrl}/kid`, '../../../../dev/null', "' OR 1 = 1 --", { $ne: null }, '', 'constructor'].map(
      (kid) => ({ kid }),
    ),
    {},
    { jwk: evil.published[0] },
    { jku: `${evilUrl}/jku` },
    { x5u: `${evilUrl}/x5u` },
    { x5c: ['MIIB'] },
    { kid: 'evil', jku: `${evilUrl}/keys` },
  ];
  for (const head of evilHeads) {
    add(`another key, ${JSON.stringify(head).slice(0, 60)}`, signed(claims, head, evil.signing.key));
  }
  add('a signature of Ed25519', signed(claims, {}, generateKeyPairSync('ed25519').privateKey));

  for (const aud of ['v2', '', 'agent', null, undefined, {}])
    add(`audience ${JSON.stringify(aud)}`, signed({ ...claims, aud }));
  for (const iss of ['https://evil.example', '', null, undefined]) add(`issuer ${iss}`, signed({ ...claims, iss }));
  for (const name of ['sub', 'sid', 'jti', 'exp', 'iat', 'auth_time']) {
    add(`without ${name}`, signed({ ...claims, [name]: undefined }));
    add(`${name} null`, signed({ ...claims, [name]: null }));
  }
  const seconds = Math.floor(known.now.getTime() / 1_000);
  add('expired', signed({ ...claims, exp: seconds - 31 }));
  add('expired long ago', signed({ ...claims, iat: 0, exp: 900 }));
  add('not yet good', signed({ ...claims, nbf: seconds + 60 }));
  add('an end that is a text', signed({ ...claims, exp: String(seconds + 900) }));
  for (const name of ['sub', 'sid']) {
    add(`${name} of nobody`, signed({ ...claims, [name]: randomUUID() }));
    add(`${name} that is no id`, signed({ ...claims, [name]: "x' OR true --" }));
  }

  add('claims of somebody else', `${headPart}.${encoded({ ...claims, sub: randomUUID() })}.${signature}`);
  add('more claims', `${headPart}.${encoded({ ...claims, admin: true })}.${signature}`);
  const [documentHead, says] = known.document.split('.').slice(0, 2).map(decoded) as [Members, Members];
  const { typ } = documentHead;
  add('a document of another service', known.document);
  add('an access token of that type', signed(claims, { typ }));
  add('what it says, under our key', signed(says, { typ }));
  add('what it says, under our key as an access token', signed(says));
  add(
    'a signed document that is no token',
    signed({ sub: claims.sub, iat: seconds, exp: seconds + 900 }, { typ: 'JWT' }),
  );
  add('too long', signed({ ...claims, more: 'x'.repeat(2_000) }));
  add(
    'a signature in DER',
    `${headPart}.${claimsPart}.${Buffer.from('300602010102010a', 'hex').toString('base64url')}`,
  );
  add('a signature of zeros', `${headPart}.${claimsPart}.${Buffer.alloc(64).toString('base64url')}`);
  add('no signature', `${headPart}.${claimsPart}.`);
  add('two parts', `${headPart}.${claimsPart}`);
  add('four parts', `${known.token}.${signature}`);
  add('five parts', 'eyJhbGciOiJkaXIifQ..AAAA.AAAA.AAAA');
  for (const garbage of ['null', '..', '.', 'e30.e30.', 'x', 'bnVsbA.bnVsbA.bnVsbA', 'hrr_refresh']) {
    add(`garbage ${garbage}`, garbage);
  }
  return list;
}

/** A compact JWS (RFC 7515) with any head, by a P-256 or an Ed25519 key. */
function signedText(head: object, claims: object, key: KeyObject): string {
  const text = `${encoded(head)}.${encoded(claims)}`;
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const signature = sign(digest, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

/** Values that an implementation may use as a secret when it takes the algorithm from the token. */
function hmacSecrets(jwk: Readonly<Record<string, unknown>>): [string, string | Buffer][] {
  return [
    ['the public key as JSON', JSON.stringify(jwk)],
    ['its coordinates', Buffer.concat([jwk.x, jwk.y].map((part) => Buffer.from(String(part), 'base64url')))],
    ['nothing', ''],
  ];
}
