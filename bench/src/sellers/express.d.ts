/** The part of Express 4 that the seller uses; the package brings no types. */
declare module 'express' {
  import type { RequestListener } from 'node:http';

  type Handler = (request: { body: unknown }, response: { json(body: object): void }) => unknown;
  type Express = RequestListener & { use(handler: unknown): void; post(path: string, handler: Handler): void };
  const express: { (): Express; json(): unknown };
  export { express as default };
}
