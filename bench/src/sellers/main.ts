import { announce, listenLocally } from '../processes/listen-locally';
import { PEERS } from './peers';

async function main([name = '', facilitatorUrl = '']: string[]): Promise<void> {
  const handle = await PEERS[name]!(facilitatorUrl);
  const { url } = await listenLocally(handle);
  announce(url);
}

void main(process.argv.slice(2));
