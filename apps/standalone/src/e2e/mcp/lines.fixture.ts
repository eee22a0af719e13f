import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The parts of a result of both client packages that the tests read. */
export interface Result {
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
  content: { type: string; text?: string }[];
  _meta?: Record<string, unknown>;
}

export interface CallParams {
  name: string;
  arguments: Record<string, unknown>;
  _meta?: Record<string, unknown>;
}

/** A connected client, whatever its package. */
export interface Connected {
  listTools(): Promise<{ tools: { name: string; description?: string }[] }>;
  callTool(params: CallParams): Promise<Result>;
  close(): Promise<void>;
}

const ME = { name: 'evenkeel-tests', version: '1.0.0' };
const PIN = { versionNegotiation: { mode: { pin: '2026-07-28' } } };

/** The two packages, and the two versions of the protocol that the newer one implements. */
export const LINES = ['sdk 1.x', 'client 2.x, old era', 'client 2.x, new era'] as const;
export type Line = (typeof LINES)[number];

export async function connect(line: Line, url: string): Promise<Connected> {
  const address = new URL('/mcp', url);
  if (line === 'sdk 1.x') {
    const client = new OldClient(ME);
    await client.connect(new OldTransport(address));
    return client as unknown as Connected;
  }
  const client = new NewClient(ME, line === 'client 2.x, new era' ? PIN : {});
  await client.connect(new NewTransport(address));
  return client as unknown as Connected;
}
