import zlib, { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify from 'fastify';
import { CachedDocument } from './cached-document';

const brotli = jest.spyOn(zlib, 'brotliCompress');
const gzip = jest.spyOn(zlib, 'gzip');
const compressions = () => ({ br: brotli.mock.calls.length, gzip: gzip.mock.calls.length });

const TEXT = 'Charged once, answered twice. '.repeat(100);

it('is compressed when somebody asks for that, and then not again', async () => {
  const server = fastify();
  const documents = { '/long': new CachedDocument(TEXT), '/short': new CachedDocument('ok') };
  for (const [path, document] of Object.entries(documents)) server.get(path, (_, reply) => document.send(reply));
  const ask = async (url: string, accepted: string) =>
    (await server.inject({ url, headers: { 'accept-encoding': accepted } })).rawPayload;
  expect((await ask('/long', 'identity')).toString()).toBe(TEXT);
  expect(compressions()).toEqual({ br: 0, gzip: 0 });

  const asked = await Promise.all([1, 2, 3].map(() => ask('/long', 'br, gzip')));
  for (const answer of asked) expect(brotliDecompressSync(answer).toString()).toBe(TEXT);
  expect(compressions()).toEqual({ br: 1, gzip: 0 });
  expect(gunzipSync(await ask('/long', 'gzip')).toString()).toBe(TEXT);
  expect((await ask('/short', 'br')).toString()).toBe('ok');
  expect(compressions()).toEqual({ br: 1, gzip: 1 });
  await server.close();
});
