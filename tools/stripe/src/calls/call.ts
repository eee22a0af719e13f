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

interface Listed {
  id: string;
}

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

/** A page of objects, the newest first. Reads the parameters of every list. */
export function listed<Kept extends Listed>(
  params: Params,
  url: string,
  objects: Iterable<Kept>,
  wanted: (object: Kept) => boolean = () => true,
): object {
  const limit = params.integer('limit') ?? DEFAULT_LIMIT;
  if (limit < 1 || limit > MAX_LIMIT) throw Refusal.invalid(`This value must be from 1 to ${MAX_LIMIT}`, 'limit');
  const after = params.text('starting_after');
  params.finish();
  const all = [...objects].reverse().filter(wanted);
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw Refusal.missing('object', after, 'starting_after', 400);
  return { object: 'list', data: all.slice(start, start + limit), has_more: all.length > start + limit, url };
}

/** The filter `name`, a number or bounds: `created[gte]`. */
export function withinRange(params: Params, name: string): (value: number) => boolean {
  if (!params.has(name)) return () => true;
  const bounds = boundsOf(params, name);
  if (typeof bounds === 'number') return (value) => value === bounds;
  const { gt, gte, lt, lte } = bounds;
  return (value) =>
    (gt === undefined || value > gt) &&
    (gte === undefined || value >= gte) &&
    (lt === undefined || value < lt) &&
    (lte === undefined || value <= lte);
}

function boundsOf(params: Params, name: string) {
  if (params.isText(name)) return params.integer(name)!;
  const range = params.object(name)!;
  return {
    gt: range.integer('gt'),
    gte: range.integer('gte'),
    lt: range.integer('lt'),
    lte: range.integer('lte'),
  };
}

/** A filter that is not given takes everything. */
export function isOrAny(wanted: unknown, value: unknown): boolean {
  return wanted === undefined || wanted === value;
}
