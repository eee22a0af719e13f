import type { Params } from '../http/params';
import { Refusal } from '../http/refusal';
import type { World } from '../world/world';

/** One request to the API. */
export interface Call {
  params: Params;
  world: World;
  /** What the path names: `/v1/customers/:id`. */
  id: string;
}

/** Answers a call with an object, or throws a Refusal. Nothing is changed before all parameters are read. */
export type Handler = (call: Call) => object;

/** Method and path to handler. */
export type Calls = Record<string, Handler>;

export function found<Kept>(table: ReadonlyMap<string, Kept>, kind: string, id: string, param?: string): Kept {
  const object = table.get(id);
  if (object) return object;
  throw param === undefined ? Refusal.missing(kind, id) : Refusal.missing(kind, id, param, 400);
}
