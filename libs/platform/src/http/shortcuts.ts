import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AllowedMethods } from './allowed-methods';
import { RawRequest } from './raw-request';
import type { ResponsePolicy } from './response-policy';
import type { RouteCounts } from './request-counts';
import { pathOf } from './request-path';

/** Answers a POST on the bare connection, before the framework: for the few whose cost is counted. */
export type Shortcut = (rawRequest: RawRequest) => void;

/** The shortcuts of one application, found as `fastify.shortcuts`. */
export class Shortcuts {
  private readonly byPath = new Map<string, { shortcut: Shortcut; counts: RouteCounts }>();

  constructor(
    private readonly policy: ResponsePolicy,
    private readonly allowed: AllowedMethods,
  ) {}

  post(path: string, shortcut: Shortcut): void {
    this.byPath.set(path, { shortcut, counts: this.policy.requests.route(path) });
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
    found.shortcut(new RawRequest(request, path, response, this.policy, found.counts));
    return true;
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    shortcuts: Shortcuts;
  }
}
