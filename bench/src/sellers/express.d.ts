/** The part of Express 4 that the sellers use; the package brings no types. */
declare module 'express' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export interface Request extends IncomingMessage {
    body: unknown;
  }
  export interface Response extends ServerResponse {
    json(body: object): void;
  }
  export type NextFunction = (error?: unknown) => void;
  type Handler = (request: Request, response: Response, next: NextFunction) => unknown;

  interface Express extends RequestListener {
    use(handler: Handler): void;
    post(path: string, handler: Handler): void;
  }
  interface Module {
    (): Express;
    json(): Handler;
  }
  const express: Module;
  export { express as default, type Express };
}
