import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Exchange } from './exchange';
import type { Manners } from './manners';
import { pathOf } from './request-path';

/** Answers some POSTs on the bare connection, before the framework: for the few whose cost is counted. */
export interface Shortcut {
  /** False: the framework answers this one. */
  takes(headers: IncomingHttpHeaders): boolean;
  answer(exchange: Exchange): void;
}

/** The shortcuts of one application, found as `fastify.shortcuts`. */
export class Shortcuts {
  private readonly byPath = new Map<string, Shortcut>();

  constructor(private readonly manners: Manners) {}

  post(path: string, shortcut: Shortcut): void {
    this.byPath.set(path, shortcut);
  }

  /** @returns false when the framework must answer */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'POST') return false;
    const path = pathOf(request.url!);
    const shortcut = this.byPath.get(path);
    if (!shortcut?.takes(request.headers)) return false;
    shortcut.answer(new Exchange(request, path, response, this.manners));
    return true;
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    shortcuts: Shortcuts;
  }
}
