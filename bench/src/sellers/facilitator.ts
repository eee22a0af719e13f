import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenLocally } from './listen-locally';
import { OFFER } from './offer';

export interface FacilitatorCalls {
  verify: number;
  settle: number;
}

const { network } = OFFER;
const SUPPORTED = { kinds: [{ x402Version: 2, scheme: 'exact', network }], extensions: [], signers: {} };
const FROM = /"from":"(0x[0-9a-fA-F]{40})"/;
const TRANSACTION = `0x${'ab'.repeat(32)}`;

const calls: FacilitatorCalls = { verify: 0, settle: 0 };
const settleMs = Number(process.argv[2] ?? 0);

/** Says yes to every payment and checks nothing, so that what a call costs is the cost of the seller. */
async function answerTo(path: string | undefined, body: string): Promise<object | undefined> {
  const payer = FROM.exec(body)?.[1];
  switch (path) {
    case '/supported':
      return SUPPORTED;
    case '/verify':
      calls.verify += 1;
      return { isValid: true, payer };
    case '/settle':
      calls.settle += 1;
      if (settleMs > 0) await sleep(settleMs);
      return { success: true, transaction: TRANSACTION, network, payer };
    case '/calls':
      return calls;
    default:
      return undefined;
  }
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  request.setEncoding('latin1').on('data', (text: string) => (body += text));
  request.once('end', () => {
    void answerTo(request.url, body).then((answer) => {
      response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? {}));
    });
  });
}

void listenLocally(handle);
