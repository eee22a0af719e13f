import { requestHandler } from '@evenkeel/platform/http';
import { announce, listenLocally } from '../../processes/listen-locally';
import { openGateway, withoutCounting } from '../open-gateway';

async function main([counting]: string[]): Promise<void> {
  const gateway = await openGateway(process.env);
  const { url } = await listenLocally(await requestHandler(counting === 'off' ? withoutCounting(gateway) : gateway));
  announce(url);
}

void main(process.argv.slice(2));
