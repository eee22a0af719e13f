import { CHAINS, type OpenApiDocument, type OpenApiOperation } from '@evenkeel/contracts';
import { terms } from '../payments/payment.fixture';
import { mergeParts, openApiDocument } from './open-api-document';

const aPart = (path: string, over: Partial<OpenApiDocument> = {}, operation = {}): OpenApiDocument => ({
  openapi: '3.1.0',
  info: { title: 'A part', version: '1.0.0' },
  tags: [{ name: 'Money' }],
  paths: { [path]: { get: { operationId: 'readSomething', responses: {}, ...operation } as OpenApiOperation } },
  components: { schemas: { Money: { type: 'object' } } },
  ...over,
});

it('parts become one document, in their order, with what they share once', () => {
  const { paths, tags, components } = mergeParts([aPart('/b'), aPart('/a')]);
  expect(Object.keys(paths)).toEqual(['/b', '/a']);
  expect(tags).toEqual([{ name: 'Money' }]);
  expect(components).toEqual({ schemas: { Money: { type: 'object' } } });
});

it('parts may not mean different things by one name, nor claim one path with different operations', () => {
  const other = aPart('/a', { components: { schemas: { Money: { type: 'string' } } } });
  expect(() => mergeParts([aPart('/b'), other])).toThrow(/disagree about schemas Money/);
  const claiming = aPart('/a', {}, { summary: 'Another' });
  expect(() => mergeParts([aPart('/a'), claiming])).toThrow(/disagree about path \/a/);
});

it.each(CHAINS)('tells agents to pay in the token of the chain that is set: $caip2', (chain) => {
  const settings = { terms: { ...terms, chain, assetName: chain.usdc.name }, offerDigest: '', timeoutMs: 5_000 };
  const { info } = openApiDocument({ ...settings, prices: {} });
  expect(info['x-guidance']).toContain(`scheme exact, ${chain.usdc.name} on ${chain.caip2})`);
});
