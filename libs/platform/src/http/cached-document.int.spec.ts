import zlib, { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { eventually } from '../testing';
import { CachedDocument, compressDocuments } from './cached-document';

const brotli = jest.spyOn(zlib, 'brotliCompress');
const gzip = jest.spyOn(zlib, 'gzip');
const compressions = () => ({ br: brotli.mock.calls.length, gzip: gzip.mock.calls.length });

const TEXT = 'Charged once, answered twice. '.repeat(100);

function serverOf(documents: Readonly<Record<string, CachedDocument>>): FastifyInstance {
  const server = fastify();
  for (const [path, document] of Object.entries(documents)) server.get(path, (_, reply) => document.send(reply));
  return server;
}

it('compresses what a start has made when it is over, later documents when they are made, and none of them again', async () => {
  const early = new CachedDocument(TEXT);
  const short = new CachedDocument('ok');
  expect(compressions()).toEqual({ br: 0, gzip: 0 });

  await compressDocuments();
  expect(compressions()).toEqual({ br: 1, gzip: 1 });

  const later = new CachedDocument(`${TEXT}!`);
  await eventually(() => compressions().br === 2 && compressions().gzip === 2);

  const server = serverOf({ '/early': early, '/later': later, '/short': short });
  for (const [path, text] of [
    ['/early', TEXT],
    ['/later', `${TEXT}!`],
  ] as const) {
    const ask = (accepted: string) => server.inject({ url: path, headers: { 'accept-encoding': accepted } });
    expect(brotliDecompressSync((await ask('br, gzip')).rawPayload).toString()).toBe(text);
    expect(gunzipSync((await ask('gzip')).rawPayload).toString()).toBe(text);
  }
  expect((await server.inject({ url: '/short', headers: { 'accept-encoding': 'br' } })).payload).toBe('ok');
  expect(compressions()).toEqual({ br: 2, gzip: 2 });
  await server.close();
});
