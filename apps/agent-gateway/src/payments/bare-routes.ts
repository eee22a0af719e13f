import type { RawRequest } from '@evenkeel/platform/http';
import { Injectable, RequestMethod, type OnModuleInit } from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  PIPES_METADATA,
} from '@nestjs/common/constants';
import { HttpAdapterHost, MetadataScanner } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { PaidEndpointsController } from './paid-endpoints.controller';

const NOT_RUN = [GUARDS_METADATA, PIPES_METADATA, INTERCEPTORS_METADATA, EXCEPTION_FILTERS_METADATA];

export interface BareRoute {
  path: string;
  handle: (rawRequest: RawRequest) => void;
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
  const prefix = stated<string>(PATH_METADATA, controller.constructor);
  refuseWhatDoesNotRun(controller.constructor);
  const handlers = controller as Readonly<Record<string, BareRoute['handle']>>;
  const names = new MetadataScanner().getAllMethodNames(Object.getPrototypeOf(controller) as object);
  return names.flatMap((name) => {
    const handler = handlers[name]!;
    const path = stated<string | undefined>(PATH_METADATA, handler);
    if (path === undefined) return [];
    if (stated<RequestMethod>(METHOD_METADATA, handler) !== RequestMethod.POST) {
      throw new Error(`${name} must be a POST: the bare connection serves nothing else`);
    }
    refuseWhatDoesNotRun(handler);
    return [{ path: `/${prefix}/${path}`, handle: handler.bind(controller) }];
  });
}

function refuseWhatDoesNotRun(target: Function): void {
  const found = NOT_RUN.find((key) => Reflect.hasMetadata(key, target));
  if (found !== undefined) throw new Error(`${target.name} has ${found}, which do not run on the bare connection`);
}

function stated<Value>(key: string, target: object): Value {
  return Reflect.getMetadata(key, target) as Value;
}
