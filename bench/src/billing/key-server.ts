import { es256KeysOf, jwksOf } from '@evenkeel/platform/keys';
import { announce, listenLocally } from '../processes/listen-locally';

/** Publishes the keys of the tokens of this run, as accounts would. */
async function serve(keys: string): Promise<void> {
  const body = JSON.stringify(jwksOf(es256KeysOf(keys)));
  const { url } = await listenLocally((_, response) =>
    response.setHeader('content-type', 'application/json').end(body),
  );
  announce(url);
}

void serve(process.argv[2]!);
