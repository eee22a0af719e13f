import { fastify } from 'fastify';
import { announce, listenLocally } from '../processes/listen-locally';

/** The limit: a bare Fastify that answers one small object. */
async function serve(): Promise<void> {
  const app = fastify();
  app.get('/v1/auth/me', async () => ({ id: '0194a1c2-3d4e-7f50-8a1b-2c3d4e5f6a7b', email: 'ana@example.com' }));
  await app.ready();
  const { url } = await listenLocally((request, response) => app.routing(request, response));
  announce(url);
}

void serve();
