import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { CHAINS, PAID_ENDPOINTS } from '@evenkeel/contracts';
import type { Surface } from '../calls/call';
import { cdpKeyOf } from '../config/keys';
import { compactBazaar } from '../offers/bazaar';
import { analyze, anAuthorization, terms } from '../payments/payment.fixture';
import { cdpToken } from './facilitator-connection';
import { requestBody } from './facilitator';
import { OfferRequirements, requirementsDigest } from './payment-requirements';

const payload = { signature: `0x${'Cd'.repeat(65)}`, authorization: anAuthorization() };
const signed = { authorization: JSON.stringify(payload.authorization), signature: payload.signature };

function bodyOf(version: 1 | 2, over: Partial<typeof terms> = {}, surface: Surface = 'http') {
  const requirements = new OfferRequirements({ ...terms, ...over }).of(analyze, version, surface);
  return JSON.parse(requestBody({ requirements, ...signed })) as Record<string, Record<string, unknown>>;
}

const extra = { name: 'USD Coin', version: '2' };
const offer = { asset: terms.asset, payTo: terms.payTo, maxTimeoutSeconds: 300, extra };

describe('the requirements', () => {
  it('of version 1 are ours, with the short name of the chain, and never say eip155:', () => {
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
    expect(JSON.stringify(bodyOf(1, { bodyNetwork: 'caip2' }))).not.toContain('eip155:');
  });

  it('of version 2 are ours, with the long name of the chain and the metadata of discovery', () => {
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

  it('name the chain of the terms, and differ in digest for every offer', () => {
    expect(bodyOf(1, { chain: CHAINS[1]! })['paymentRequirements']!['network']).toBe('base-sepolia');
    expect(bodyOf(2, { chain: CHAINS[1]! })['paymentRequirements']!['network']).toBe('eip155:84532');
    const offers = new OfferRequirements(terms);
    const digests = PAID_ENDPOINTS.flatMap((endpoint) =>
      ([1, 2] as const).map((version) => requirementsDigest(offers.of(endpoint, version, 'http'))),
    );
    expect(new Set(digests).size).toBe(10);
  });

  it('for a tool ask for the same, name the tool and its address for listings, and no path in version 1', () => {
    const { paymentPayload, paymentRequirements } = bodyOf(2, {}, 'mcp');
    expect(paymentRequirements).toEqual(bodyOf(2)['paymentRequirements']);
    expect(paymentPayload).toMatchObject({
      resource: { url: 'https://api.example/mcp' },
      extensions: { bazaar: { info: { input: { type: 'mcp', toolName: analyze.toolName } } } },
    });
    const { outputSchema: _ofPath, ...ofHttp } = bodyOf(1)['paymentRequirements']!;
    expect(bodyOf(1, {}, 'mcp')['paymentRequirements']).toEqual({ ...ofHttp, resource: 'https://api.example/mcp' });
  });
});

const ed25519 = generateKeyPairSync('ed25519');
const jwk = ed25519.privateKey.export({ format: 'jwk' });
const [seed, publicKey] = [Buffer.from(jwk.d!, 'base64url'), Buffer.from(jwk.x!, 'base64url')];
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = p256.privateKey.export({ format: 'pem', type: 'sec1' }).toString();
const pkcs8 = p256.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;

it.each<[string, string, KeyObject]>([
  ['EdDSA', Buffer.concat([seed, publicKey]).toString('base64'), ed25519.publicKey],
  ['EdDSA', seed.toString('base64'), ed25519.publicKey],
  ['ES256', pkcs8, p256.publicKey],
  ['ES256', pem.replaceAll('\n', '\\n'), p256.publicKey],
])('the token of a request, %s, is bound to the call, lives for two minutes, and verifies', (alg, secret, key) => {
  const now = new Date('2026-01-31T12:00:00.900Z');
  const token = cdpToken(cdpKeyOf('key-1', secret), 'POST', 'api.example', '/x402/verify', now);
  const [header = '', claims = '', signature = ''] = token.split('.');
  const nonce = expect.stringMatching(/^[0-9a-f]{32}$/);
  expect(read(header)).toEqual({ alg, typ: 'JWT', kid: 'key-1', nonce });
  const uris = ['POST api.example/x402/verify'];
  const times = { nbf: 1_769_860_800, exp: 1_769_860_920 };
  expect(read(claims)).toEqual({ sub: 'key-1', iss: 'cdp', aud: ['cdp_service'], ...times, uris });
  const algorithm = alg === 'EdDSA' ? null : 'sha256';
  const isSigned = (text: string) =>
    verify(algorithm, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));
  expect([isSigned(`${header}.${claims}`), isSigned(`${header}.${claims}x`)]).toEqual([true, false]);
});
