/** The part of Express 4 that the seller uses; the package brings no types. */
declare module 'express' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export type Request = IncomingMessage & { body: unknown };
  export type Response = ServerResponse & { json(body: object): void };
  export type NextFunction = (error?: unknown) => void;
  type Handler = (request: Request, response: Response, next: NextFunction) => unknown;
  type Express = RequestListener & { use(handler: Handler): void; post(path: string, handler: Handler): void };

  const express: { (): Express; json(): Handler };
  export { express as default };
}
