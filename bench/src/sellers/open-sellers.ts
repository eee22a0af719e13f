import { randomBytes } from 'node:crypto';
import type { Running, Scene } from '../processes/scene';
import { OFFER } from './offer';

export const PRODUCT = 'npm start';
export const GATEWAY = 'gateway alone';
export const EXPRESS = '@x402/express';
export const BESIDE = 'the release beside';

const GATEWAY_APP = 'apps/agent-gateway/src';

/** The environment of the gateway: as in production, but for the addresses of this machine and the missing chain. */
export function gatewaySettings(databaseUrl: string, facilitatorUrl: string): Record<string, string> {
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

interface SellerPlace {
  facilitatorUrl: string;
  /** Default: this one. */
  checkout?: string;
  /** Of its database. */
  name?: string;
}

/** The gateway of a checkout by itself, over a migrated database of its own. */
export async function openGateway(
  scene: Scene,
  { facilitatorUrl, checkout, name = 'gateway' }: SellerPlace,
  settings: Record<string, string> = {},
): Promise<Running> {
  const env = { ...gatewaySettings(await scene.database(name), facilitatorUrl), ...settings };
  await scene.command(`${GATEWAY_APP}/migrate.ts`, env, checkout);
  return scene.startedAgain(`${GATEWAY_APP}/main.ts`, env, checkout);
}

/** The product of a checkout as `npm start` runs it, with its own database, but for the facilitator of the run. */
function openProduct(scene: Scene, { facilitatorUrl, checkout, name = 'product' }: SellerPlace) {
  const places = { DATA_DIR: scene.path(name), FACILITATOR_URL: facilitatorUrl, X402_RPC_URL: 'none' };
  return scene.startedAgain('apps/standalone/src/main.ts', places, checkout);
}

/** Those that take turns, by name: ours, the peer, and another release of ours when its checkout is given. */
export async function openSellers(scene: Scene, facilitatorUrl: string, beside?: string) {
  const product = await openProduct(scene, { facilitatorUrl });
  const sellers = new Map<string, Running>([
    [PRODUCT, product],
    [GATEWAY, await openGateway(scene, { facilitatorUrl })],
    [EXPRESS, await scene.script('bench/src/sellers/express-seller.ts', facilitatorUrl)],
  ]);
  if (beside !== undefined) {
    const other = { facilitatorUrl, checkout: beside };
    sellers.set(`${PRODUCT}, ${BESIDE}`, await openProduct(scene, { ...other, name: 'product-beside' }));
    sellers.set(`${GATEWAY}, ${BESIDE}`, await openGateway(scene, { ...other, name: 'gateway_beside' }));
  }
  return { sellers, product };
}
