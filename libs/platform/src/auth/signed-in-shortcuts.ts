import { Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { jsonAnswer, statedRoute, uncheckedLines } from '../http';
import { RateLimitGuard } from '../throttling';
import { currentUserOf, SignedInGuard } from './signed-in.guard';

/**
 * Answers reads of signed-in people on the bare connection, before the framework (docs/adr/0008): what their apps ask at
 * every start. Guards and limits are those that the decorators of the handler state. What they get is counted in the log; a
 * refusal has its line.
 */
@Injectable()
export class SignedInShortcuts {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly signedIn: SignedInGuard,
    private readonly limits: RateLimitGuard,
  ) {}

  /**
   * @param name of a handler for GET: it has the guards of `@SignedInOnly`, and takes `@CurrentUser()` alone
   * @throws Error for a handler that needs more than that
   */
  serve<Name extends string>(controller: Record<Name, (user: never, ...more: never[]) => object>, name: Name): void {
    const { shortcuts } = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    const limits = this.limits.limitsOf(controller.constructor, controller[name]);
    shortcuts.get(pathOf(controller.constructor, name, controller[name]), (rawRequest) =>
      rawRequest.run(async () => {
        const { request: raw } = rawRequest;
        const request = { raw, user: await this.signedIn.find(raw) };
        const limited = await this.limits.take(request, limits);
        rawRequest.sendCounted(jsonAnswer(controller[name](request.user as never)), uncheckedLines(limited));
      }),
    );
  }
}

function pathOf(controller: Function, name: string, handler: Function): string {
  const route = statedRoute(controller, handler);
  const [first, second, ...others] = route?.guards ?? [];
  const isGuarded = first === SignedInGuard && second === RateLimitGuard && others.length === 0;
  if (route?.method === 'GET' && isGuarded && takesUserAlone(controller, name)) return route.path;
  throw new Error(`${name} must be a GET for signed-in people that takes @CurrentUser() alone`);
}

function takesUserAlone(controller: Function, name: string): boolean {
  const stated = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as object | undefined;
  const [first, ...others] = Object.values(stated ?? {}) as { factory?: unknown }[];
  return first?.factory === currentUserOf && others.length === 0;
}
