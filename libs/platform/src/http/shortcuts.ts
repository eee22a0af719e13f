import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AllowedMethods } from './allowed-methods';
import { Exchange } from './exchange';
import type { Manners } from './manners';
import type { RouteCounts } from './request-counts';
import { pathOf } from './request-path';

/** Answers a POST on the bare connection, before the framework: for the few whose cost is counted. */
export type Shortcut = (exchange: Exchange) => void;

/** The shortcuts of one application, found as `fastify.shortcuts`. */
export class Shortcuts {
  private readonly byPath = new Map<string, { shortcut: Shortcut; counts: RouteCounts }>();

  constructor(
    private readonly manners: Manners,
    private readonly allowed: AllowedMethods,
  ) {}

  post(path: string, shortcut: Shortcut): void {
    this.byPath.set(path, { shortcut, counts: this.manners.requests.route(path) });
    this.allowed.add({ method: 'POST', url: path });
  }

  /** Where they are. */
  get paths(): string[] {
    return [...this.byPath.keys()];
  }

  /** @returns false when the framework must answer */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'POST') return false;
    const path = pathOf(request.url!);
    const found = this.byPath.get(path);
    if (!found) return false;
    found.shortcut(new Exchange(request, path, response, this.manners, found.counts));
    return true;
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    shortcuts: Shortcuts;
  }
}
