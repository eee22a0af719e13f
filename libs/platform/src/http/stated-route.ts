import { RequestMethod } from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  PIPES_METADATA,
} from '@nestjs/common/constants';

const NOT_RUN = [PIPES_METADATA, INTERCEPTORS_METADATA, EXCEPTION_FILTERS_METADATA];

export interface StatedRoute {
  /** Such as `GET`. */
  method: string;
  path: string;
  /** Those of the controller, then those of the handler. */
  guards: readonly unknown[];
}

/**
 * What the decorators of Nest state of a handler that is to answer on the bare connection.
 * @param controller the class
 * @returns null for a method that is no handler
 * @throws Error for what does not run there: pipes, interceptors and filters. Guards are left to the caller
 */
export function statedRoute(controller: Function, handler: Function): StatedRoute | null {
  const path = stated<string>(PATH_METADATA, handler);
  if (path === undefined) return null;
  for (const target of [controller, handler]) refuseWhatDoesNotRun(target);
  return {
    method: RequestMethod[stated<RequestMethod>(METHOD_METADATA, handler)!],
    path: `/${stated<string>(PATH_METADATA, controller)}${path === '/' ? '' : `/${path}`}`,
    guards: [controller, handler].flatMap((target) => stated<unknown[]>(GUARDS_METADATA, target) ?? []),
  };
}

function refuseWhatDoesNotRun(target: Function): void {
  const found = NOT_RUN.find((key) => Reflect.hasMetadata(key, target));
  if (found !== undefined) throw new Error(`${target.name} has ${found}, which do not run on the bare connection`);
}

function stated<Value>(key: string, target: object): Value | undefined {
  return Reflect.getMetadata(key, target) as Value | undefined;
}
