import { announce, listenLocally } from '../processes/listen-locally';
import { StubFacilitator } from './stub-facilitator';

async function main(): Promise<void> {
  const stub = new StubFacilitator();
  process.on('message', (question) => {
    if (question === 'calls') process.send!(stub.calls);
  });
  announce((await listenLocally(stub.handle)).url);
}

void main();
