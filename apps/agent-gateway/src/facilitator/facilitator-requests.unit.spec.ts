import { createHash, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { CHAINS, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { cdpKeyOf } from '../config/keys';
import { compactBazaar } from '../offers/bazaar';
import { analyze, anAuthorization, terms } from '../payments/payment.fixture';
import { cdpToken } from './facilitator-connection';
import { requestBody } from './facilitator';
import { listingOf, makeRequirements, requirementsDigest } from './payment-requirements';

const signed = { authorization: JSON.stringify(anAuthorization()), signature: `0x${'Cd'.repeat(65)}` };

function requirementsOf(version: 1 | 2, over: Partial<typeof terms> = {}, endpoint = analyze) {
  const offered = { ...terms, ...over };
  return makeRequirements(version, endpoint, offered, listingOf('http', endpoint, offered));
}
const textOf = (version: 1 | 2, over?: Partial<typeof terms>) =>
  requestBody({ requirements: requirementsOf(version, over), ...signed });
const bodyOf = (version: 1 | 2, over?: Partial<typeof terms>) =>
  JSON.parse(textOf(version, over)) as Record<'paymentPayload' | 'paymentRequirements', Record<string, unknown>>;

const domain = { name: 'USD Coin', version: '2' };
const offer = { asset: terms.asset, payTo: terms.payTo, maxTimeoutSeconds: 300, extra: domain };
const payload = { signature: signed.signature, authorization: anAuthorization() };

describe('version 1 requirements', () => {
  it('is ours, with the short name of the chain', () => {
    expect(bodyOf(1)).toEqual({
      x402Version: 1,
      paymentPayload: { x402Version: 1, scheme: 'exact', network: 'base', payload },
      paymentRequirements: {
        scheme: 'exact',
        network: 'base',
        maxAmountRequired: '50000',
        ...offer,
        resource: 'https://api.example/agent/v1/habits/analyze',
        description: analyze.description,
        mimeType: 'application/json',
        outputSchema: expect.objectContaining({ output: { type: 'object' } }),
      },
    });
  });

  it.each(['short', 'caip2'] as const)('never says eip155:, with a body network of %s', (bodyNetwork) => {
    expect(textOf(1, { bodyNetwork })).not.toContain('eip155:');
  });
});

describe('version 2 requirements', () => {
  it('is ours, with the long name of the chain and the metadata of discovery', () => {
    const accepted = { scheme: 'exact', network: 'eip155:8453', amount: '50000', ...offer };
    expect(bodyOf(2)).toEqual({
      x402Version: 2,
      paymentPayload: {
        x402Version: 2,
        resource: expect.objectContaining({ url: 'https://api.example/agent/v1/habits/analyze' }),
        accepted,
        payload,
        extensions: { bazaar: compactBazaar(analyze) },
      },
      paymentRequirements: accepted,
    });
  });
});

describe('any requirements', () => {
  it.each([1, 2] as const)('of version %i names the chain of the terms', (version) => {
    const { paymentRequirements } = bodyOf(version, { chain: CHAINS[1]! });
    expect(paymentRequirements.network).toBe(version === 1 ? 'base-sepolia' : 'eip155:84532');
  });

  it('has a digest that differs for every offer in either version', () => {
    const digests = PAID_ENDPOINTS.flatMap((endpoint) =>
      ([1, 2] as const).map((version) => requirementsDigest(requirementsOf(version, {}, endpoint))),
    );
    expect(new Set(digests).size).toBe(10);
    expect(digests[0]).toHaveLength(createHash('sha256').digest('hex').length);
  });
});

describe('the requirements for a tool', () => {
  const bodyOfTool = (version: 1 | 2) => {
    const requirements = makeRequirements(version, analyze, terms, listingOf('mcp', analyze, terms));
    return JSON.parse(requestBody({ requirements, ...signed })) as Record<string, Record<string, unknown>>;
  };

  it('asks for the same, and names the tool and its address for listings', () => {
    const { paymentPayload, paymentRequirements } = bodyOfTool(2);
    expect(paymentRequirements).toEqual(bodyOf(2).paymentRequirements);
    expect(paymentPayload).toMatchObject({
      resource: { url: 'https://api.example/mcp' },
      extensions: { bazaar: { info: { input: { type: 'mcp', toolName: analyze.toolName } } } },
    });
  });

  it('says nothing of paths in version 1', () => {
    const { outputSchema: _ofPath, ...requirements } = bodyOf(1).paymentRequirements;
    expect(bodyOfTool(1)['paymentRequirements']).toEqual({ ...requirements, resource: 'https://api.example/mcp' });
  });
});

describe('the token of a request', () => {
  const now = new Date('2026-01-31T12:00:00.900Z');
  const seconds = 1_769_860_800;

  function tokenParts(secret: string) {
    const token = cdpToken(cdpKeyOf('key-1', secret), 'POST', 'api.example', '/x402/verify', now);
    const [header = '', claims = '', signature = ''] = token.split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
    return {
      header: read(header),
      claims: read(claims),
      signed: Buffer.from(`${header}.${claims}`),
      signature: Buffer.from(signature, 'base64url'),
    };
  }

  const ed25519 = generateKeyPairSync('ed25519');
  const rawSeed = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).d!, 'base64url');
  const rawPublic = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url');
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = p256.privateKey.export({ format: 'pem', type: 'sec1' }).toString();

  describe('a token signed with Ed25519', () => {
    const secret = Buffer.concat([rawSeed(ed25519.privateKey), rawPublic(ed25519.publicKey)]).toString('base64');

    it('is bound to the call and lives for two minutes', () => {
      const { header, claims } = tokenParts(secret);
      expect(header).toEqual({
        alg: 'EdDSA',
        typ: 'JWT',
        kid: 'key-1',
        nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
      });
      expect(claims).toEqual({
        sub: 'key-1',
        iss: 'cdp',
        aud: ['cdp_service'],
        nbf: seconds,
        exp: seconds + 120,
        uris: ['POST api.example/x402/verify'],
      });
    });

    it.each([
      ['seed and public key', secret],
      ['the seed alone', rawSeed(ed25519.privateKey).toString('base64')],
    ])('verifies, from %s', (_, written) => {
      const { signed, signature } = tokenParts(written);
      expect(verify(null, signed, ed25519.publicKey, signature)).toBe(true);
      expect(verify(null, Buffer.concat([signed, Buffer.from('x')]), ed25519.publicKey, signature)).toBe(false);
    });
  });

  describe('a token signed with ES256', () => {
    it.each([
      ['SEC 1', pem],
      ['PKCS #8', p256.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()],
      ['line breaks written as \\n', pem.replaceAll('\n', '\\n')],
    ])('verifies, from a key in %s', (_, written) => {
      const { header, signed, signature } = tokenParts(written);
      expect(header.alg).toBe('ES256');
      expect(signature).toHaveLength(64);
      expect(verify('sha256', signed, { key: p256.publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
    });
  });
});
