import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { registryEntry, serverCard, serverName } from './server-card';

const baseUrl = 'https://api.example.com';
const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });
/** The rules of both published schemas for the members that we use: https://static.modelcontextprotocol.io/schemas. */
const shape = (schemaUrl: string, remoteMembers: object) => ({
  type: 'object',
  required: ['$schema', 'name', 'description', 'version', 'remotes'],
  properties: {
    $schema: { const: `https://static.modelcontextprotocol.io/schemas/${schemaUrl}` },
    name: { ...text(200), minLength: 3, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    title: text(100),
    description: text(100),
    version: { ...text(255), pattern: '^\\d+\\.\\d+\\.\\d+$' },
    websiteUrl: { type: 'string', pattern: '^https?://[^\\s]+$' },
    icons: { type: 'array', items: { type: 'object', required: ['src'] } },
    remotes: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['type', 'url'],
        properties: {
          type: { enum: ['streamable-http', 'sse'] },
          url: { type: 'string', pattern: '^https?://[^\\s]+$' },
          ...remoteMembers,
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
});
const versions = { supportedProtocolVersions: { type: 'array', items: { type: 'string' } } };
const ajv = new Ajv({ strict: false });

it('the card has the form of its schema, and lists no tools', () => {
  const card = serverCard(baseUrl);
  expect(ajv.validate(shape('v1/server-card.schema.json', versions), card)).toBe(true);
  expect(card.remotes[0]).toMatchObject({ type: 'streamable-http', url: 'https://api.example.com/mcp' });
  expect(card.remotes[0]!.supportedProtocolVersions).toEqual(expect.arrayContaining(['2026-07-28', '2025-06-18']));
});

it('server.json has the form of the registry, and equals what the code states', () => {
  const file = JSON.parse(readFileSync(join(__dirname, '../../server.json'), 'utf8')) as object;
  expect(ajv.validate(shape('2025-12-11/server.schema.json', {}), file)).toBe(true);
  expect(file).toEqual(registryEntry(baseUrl));
});

it.each([
  ['https://api.example.com', 'com.example.api/habit-reliability-analytics'],
  ['http://localhost:8080', 'localhost/habit-reliability-analytics'],
])('at %s we are %s', (url, name) => {
  expect(serverName(url)).toBe(name);
});
