import { SERVICE } from '@evenkeel/contracts';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { MCP_PATH } from '../offers/accepts';

export const SERVER_CARD_PATH = `${MCP_PATH}/server-card`;
export const SERVER_CARD_TYPE = 'application/mcp-server-card+json';
/** The package lists only the older versions. */
const NEWEST_VERSION = '2026-07-28';

/** Our name among all servers: registries require the domain backwards. */
export function serverName(baseUrl: string): string {
  const labels = new URL(baseUrl).hostname.replace(/[^a-zA-Z0-9.-]/g, '').split('.');
  return `${labels.toReversed().join('.')}/${SERVICE.id}`;
}

/**
 * The card that a program reads before it connects (SEP-2127): name and address of the server, never its tools. The
 * connected server says the same of itself.
 */
export function serverCard(baseUrl: string) {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    ...identity(baseUrl),
    icons: [{ src: `${baseUrl}/favicon.svg`, mimeType: 'image/svg+xml', sizes: ['any'] }],
    remotes: [{ ...remote(baseUrl), supportedProtocolVersions: [NEWEST_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS] }],
  };
}

/** `server.json` in the form of the official registry. */
export function registryEntry(baseUrl: string) {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    ...identity(baseUrl),
    remotes: [remote(baseUrl)],
  };
}

function identity(baseUrl: string) {
  const { name: title, description, version } = SERVICE;
  return { name: serverName(baseUrl), title, description, version, websiteUrl: baseUrl };
}

function remote(baseUrl: string) {
  return { type: 'streamable-http', url: baseUrl + MCP_PATH };
}
