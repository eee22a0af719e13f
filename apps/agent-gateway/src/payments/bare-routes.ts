import { statedRoute, type Shortcut } from '@evenkeel/platform/http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, MetadataScanner } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { PaidEndpointsController } from './paid-endpoints.controller';

export interface BareRoute {
  path: string;
  handle: Shortcut;
}

/** Serves the routes of the controller of paid endpoints on the bare connection, before Fastify routes (docs/adr/0008). */
@Injectable()
export class BareRoutes implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly controller: PaidEndpointsController,
  ) {}

  onModuleInit(): void {
    const { shortcuts } = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    for (const { path, handle } of routesOf(this.controller)) shortcuts.post(path, handle);
  }
}

/**
 * The routes that the decorators of a controller state.
 * @throws Error for a route that is not a POST, and for what would not run on the bare connection, such as a guard
 */
export function routesOf(controller: object): BareRoute[] {
  const handlers = controller as Readonly<Record<string, Shortcut>>;
  const names = new MetadataScanner().getAllMethodNames(Object.getPrototypeOf(controller) as object);
  return names.flatMap((name) => {
    const handler = handlers[name]!;
    const route = statedRoute(controller.constructor, handler);
    if (!route) return [];
    if (route.method !== 'POST' || route.guards.length > 0) {
      throw new Error(`${name} must be a POST without guards to be served on the bare connection`);
    }
    return [{ path: route.path, handle: handler.bind(controller) }];
  });
}
