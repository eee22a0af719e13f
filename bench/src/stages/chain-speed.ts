import type { Figures } from '../figures';
import type { Reply } from '../load/connection';
import { paidCalls } from '../load/payments';
import { expectStatus, runLoad } from '../load/run-load';
import { Scene } from '../processes/scene';
import { openFacilitator, openGateway } from '../sellers/open-sellers';

const SETTLE_MS = 2_000;
const IN_FLIGHT = 400;
const CALLERS = 50;
const SECONDS = 12;
const WARM_UP_SECONDS = 6;
/** More than the load can use: a settle takes as long as it takes. */
const PAYMENTS = (IN_FLIGHT * 2 * SECONDS * 1_000) / SETTLE_MS;

const TITLE = `settle takes ${SETTLE_MS / 1_000} s, ${IN_FLIGHT} calls in flight`;

/** One process of the gateway at the speed of a real chain: fifty addresses with eight calls each, all of them waiting. */
export async function benchChainSpeed(): Promise<Figures> {
  await using scene = new Scene();
  const facilitator = await openFacilitator(scene, SETTLE_MS);
  const settings = { TRUSTED_PROXY_HOPS: '1' };
  const { url } = await openGateway(scene, { facilitatorUrl: facilitator.url }, settings);
  const calls = (count: number) => paidCalls(url, 1, count, addressOf);
  const all = { url, connections: IN_FLIGHT };

  // Each caller is known by a payment that was verified, as in a service that runs.
  await runLoad({ url, connections: CALLERS, seconds: SECONDS }, await calls(CALLERS), expectStatus(200));
  await runLoad({ ...all, seconds: WARM_UP_SECONDS }, await calls(PAYMENTS), () => undefined);
  const next = await calls(PAYMENTS);

  let [paid, refused] = [0, 0];
  const count = (reply: Reply): void => {
    if (reply.status === 429) refused += 1;
    else {
      expectStatus(200)(reply);
      paid += 1;
    }
  };
  const { seconds } = await runLoad({ ...all, seconds: SECONDS }, next, count);
  return { [`${TITLE}: paid calls a second`]: paid / seconds, [`${TITLE}: answers 429`]: refused };
}

/** As the proxy in front of the gateway names it. */
function addressOf(index: number): object {
  return { 'X-Forwarded-For': `198.51.100.${1 + (index % CALLERS)}` };
}
