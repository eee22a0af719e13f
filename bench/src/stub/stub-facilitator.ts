import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { OFFER } from '../sellers/offer';

export interface StubCalls {
  verify: number;
  settle: number;
}

const SUPPORTED = JSON.stringify({
  kinds: [
    { x402Version: 2, scheme: 'exact', network: OFFER.network },
    { x402Version: 1, scheme: 'exact', network: OFFER.networkV1 },
  ],
  extensions: [],
  signers: {},
});
const PAYER = '0x1111111111111111111111111111111111111111';
const VALID = JSON.stringify({ isValid: true, payer: PAYER });
const SETTLED = JSON.stringify({
  success: true,
  transaction: `0x${'ab'.repeat(32)}`,
  network: OFFER.network,
  payer: PAYER,
});

/** Says yes to every payment at once and checks nothing: whatever a call costs then is the seller's own cost. */
export class StubFacilitator {
  readonly calls: StubCalls = { verify: 0, settle: 0 };

  readonly handle: RequestListener = (request, response) => {
    request.resume().once('end', () => this.answer(request, response));
  };

  private answer(request: IncomingMessage, response: ServerResponse): void {
    response.setHeader('content-type', 'application/json');
    switch (request.url) {
      case '/supported':
        response.end(SUPPORTED);
        break;
      case '/verify':
        this.calls.verify += 1;
        response.end(VALID);
        break;
      case '/settle':
        this.calls.settle += 1;
        response.end(SETTLED);
        break;
      default:
        response.writeHead(404).end('{}');
    }
  }
}
