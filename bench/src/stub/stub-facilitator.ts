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
const FROM = /"from":"(0x[0-9a-fA-F]{40})"/;

const valid = (payer: string) => `{"isValid":true,"payer":"${payer}"}`;
const settled = (payer: string) =>
  `{"success":true,"transaction":"0x${'ab'.repeat(32)}","network":"${OFFER.network}","payer":"${payer}"}`;

/** Says yes to every payment at once and checks nothing: whatever a call costs then is the seller's own cost. */
export class StubFacilitator {
  readonly calls: StubCalls = { verify: 0, settle: 0 };

  readonly handle: RequestListener = (request, response) => {
    let body = '';
    request.setEncoding('latin1').on('data', (text: string) => (body += text));
    request.once('end', () => this.answer(request, FROM.exec(body)?.[1] ?? '', response));
  };

  private answer(request: IncomingMessage, payer: string, response: ServerResponse): void {
    response.setHeader('content-type', 'application/json');
    switch (request.url) {
      case '/supported':
        response.end(SUPPORTED);
        break;
      case '/verify':
        this.calls.verify += 1;
        response.end(valid(payer));
        break;
      case '/settle':
        this.calls.settle += 1;
        response.end(settled(payer));
        break;
      default:
        response.writeHead(404).end('{}');
    }
  }
}
