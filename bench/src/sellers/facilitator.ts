import { setTimeout as sleep } from 'node:timers/promises';
import { listenLocally, OFFER } from './offer';

const { network } = OFFER;
const FROM = /"from":"(0x[0-9a-fA-F]{40})"/;
const settleMs = Number(process.argv[2] ?? 0);
const calls = { verify: 0, settle: 0 };
export type FacilitatorCalls = typeof calls;

/** Says yes to every payment and checks nothing, so that what a call costs is the cost of the seller. */
const answers: Record<string, (payer?: string) => object | Promise<object>> = {
  '/supported': () => ({ kinds: [{ x402Version: 2, scheme: 'exact', network }], extensions: [], signers: {} }),
  '/verify': (payer) => {
    calls.verify += 1;
    return { isValid: true, payer };
  },
  '/settle': async (payer) => {
    calls.settle += 1;
    if (settleMs > 0) await sleep(settleMs);
    return { success: true, transaction: `0x${'ab'.repeat(32)}`, network, payer };
  },
  '/calls': () => calls,
};

void listenLocally((request, response) => {
  let body = '';
  request.setEncoding('latin1').on('data', (text: string) => (body += text));
  request.once('end', () => {
    void Promise.resolve(answers[request.url!]?.(FROM.exec(body)?.[1])).then((answer) => {
      response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? {}));
    });
  });
});
