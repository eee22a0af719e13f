import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Running, Scene } from '../processes/scene';
import { OFFER } from './offer';

export const PRODUCT = 'npm start';
export const GATEWAY = 'gateway alone';
export const EXPRESS = '@x402/express';
export const BESIDE = 'the release beside';
/** What `npm start` runs. */
export const START = 'apps/standalone/src/main.ts';

/** The environment of the gateway: as in production, but for the addresses of this machine and the missing chain. */
export function gatewaySettings(databaseUrl: string, facilitatorUrl: string) {
  return {
    PUBLIC_BASE_URL: 'https://evenkeel.example',
    DATABASE_URL: databaseUrl,
    FACILITATOR_URL: facilitatorUrl,
    X402_PAY_TO: OFFER.payTo,
    X402_RPC_URL: 'none',
    ANSWER_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    RECEIPT_KEYS: `bench:${randomBytes(32).toString('base64')}`,
  };
}

/** @param settleMs how long a settle takes */
export function openFacilitator(scene: Scene, settleMs = 0): Promise<Running> {
  return scene.script('bench/src/sellers/facilitator.ts', String(settleMs));
}

/** The gateway by itself, over a migrated database of its own. @param checkout another one than this */
export async function openGateway(scene: Scene, facilitatorUrl: string, settings = {}, checkout?: string) {
  const database = await scene.database(checkout === undefined ? 'gateway' : 'gateway_beside');
  const env = { ...gatewaySettings(database, facilitatorUrl), ...settings };
  await scene.command('apps/agent-gateway/src/migrate.ts', env, checkout);
  return scene.startedAgain('apps/agent-gateway/src/main.ts', env, checkout);
}

/** The product as `npm start` runs it, with its own database, but for the facilitator of the run. */
function openProduct(scene: Scene, facilitatorUrl: string, checkout?: string) {
  const dataDir = join(scene.folder, checkout === undefined ? 'product' : 'product-beside');
  const env = { DATA_DIR: dataDir, FACILITATOR_URL: facilitatorUrl, X402_RPC_URL: 'none' };
  return scene.startedAgain(START, env, checkout);
}

/** Those that take turns, by name: ours, the peer, and another release of ours when its checkout is given. */
export async function openSellers(scene: Scene, facilitatorUrl: string, beside?: string) {
  const product = await openProduct(scene, facilitatorUrl);
  const sellers = new Map<string, Running>([
    [PRODUCT, product],
    [GATEWAY, await openGateway(scene, facilitatorUrl)],
    [EXPRESS, await scene.script('bench/src/sellers/express-seller.ts', facilitatorUrl)],
  ]);
  if (beside !== undefined) {
    sellers.set(`${PRODUCT}, ${BESIDE}`, await openProduct(scene, facilitatorUrl, beside));
    sellers.set(`${GATEWAY}, ${BESIDE}`, await openGateway(scene, facilitatorUrl, {}, beside));
  }
  return { sellers, product };
}
