import { requestHandler } from '@evenkeel/platform/http';
import { announce, listenLocally } from '../../processes/listen-locally';
import { openGateway, withoutLedger } from '../open-gateway';

async function main(): Promise<void> {
  const { url } = await listenLocally(await requestHandler(withoutLedger(await openGateway(process.env))));
  announce(url);
}

void main();
