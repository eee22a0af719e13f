import { join } from 'node:path';
import { CHAINS } from '@evenkeel/contracts';
import { startFacilitator } from '@evenkeel/facilitator';
import { ensureDatabase, startPostgres } from '@evenkeel/services';
import type { Closers } from './closers';
import type { StandaloneConfig } from './standalone.config';

export interface Database {
  /** Of the server; each app has a database of its own there. */
  urlOf(app: string): Promise<string>;
  description: string;
}

/**
 * The embedded PostgreSQL, whose data stays after the run, unless `DATABASE_URL` names a server.
 * @param port for the embedded one
 */
export async function openDatabase(config: StandaloneConfig, port: number, closers: Closers): Promise<Database> {
  const named = config.DATABASE_URL;
  if (named !== undefined) {
    return { urlOf: (app) => ensureDatabase(named, app), description: new URL(named).host };
  }
  const dataDir = join(config.DATA_DIR, 'postgres');
  const server = await startPostgres({ dataDir, port });
  closers.add(() => server.stop());
  return { urlOf: (app) => ensureDatabase(server.url, app), description: `embedded PostgreSQL, data in ${dataDir}` };
}

export interface FacilitatorAddress {
  url?: string;
  rpcUrl?: string;
  description: string;
}

/** The development facilitator and its chain, unless `FACILITATOR_URL` names another, and never in production. */
export async function openFacilitator(config: StandaloneConfig, closers: Closers): Promise<FacilitatorAddress> {
  if (config.FACILITATOR_URL !== undefined) {
    // Its path may be a key.
    return { url: config.FACILITATOR_URL, description: new URL(config.FACILITATOR_URL).origin };
  }
  if (config.isProduction) return { description: 'none: set FACILITATOR_URL, until then every payment is 502' };
  const chain = CHAINS.find(({ caip2 }) => caip2 === config.X402_NETWORK)!;
  const facilitator = await startFacilitator({ port: config.FACILITATOR_PORT, chain });
  closers.add(() => facilitator.close());
  const { url, rpcUrl } = facilitator;
  return { url, rpcUrl, description: `${url}, for development: checks signatures, moves play money` };
}
