import type { World } from '../world/world';

/** One request to the API. */
export interface Call<Params> {
  params: Params;
  world: World;
  /** The parameters of the path: `/v1/customers/:id`. */
  id: string;
}

export interface Handler {
  /** Parameters that it reads. */
  reads: readonly string[];
  /** Answers a call with an object, or throws a Refusal. */
  answer: (call: Call<never>) => object;
}

/** Method and path to handler. */
export type Calls = Record<string, Handler>;

/** A call with the parameters that Stripe's own client declares. */
export function call<Params>(reads: readonly string[], answer: (call: Call<Params>) => object): Handler {
  return { reads: [...reads, 'expand'], answer };
}

/** Retrieves one object of a table. */
export function retrieval<Kept>(kind: string, table: (world: World) => ReadonlyMap<string, Kept>): Handler {
  return call([], ({ world, id }) => found(table(world), kind, id) as object);
}

export function found<Kept>(table: ReadonlyMap<string, Kept>, kind: string, id: string, param?: string): Kept {
  const object = table.get(id);
  if (object) return object;
  throw param === undefined ? Refusal.missing(kind, id) : Refusal.missing(kind, id, param, 400);
}

interface Page {
  limit?: number;
  starting_after?: string;
  created?: number | { gt?: number; gte?: number; lt?: number; lte?: number };
}

const DEFAULT_LIMIT = 10;

/** A list of objects, the newest first, by pages. @param isWanted by its own parameters */
export function listing<Params, Kept extends { id: string; created: number }>(
  url: string,
  reads: readonly string[],
  all: (call: Call<Params>) => Iterable<Kept>,
  isWanted: (object: Kept, params: Params) => boolean = () => true,
): Calls {
  const list = call<Params & Page>([...reads, 'limit', 'starting_after', 'created'], (asked) => {
    const { limit = DEFAULT_LIMIT, starting_after: after, created } = asked.params;
    const objects = [...all(asked)].reverse();
    const wanted = objects.filter((one) => isWithin(one.created, created) && isWanted(one, asked.params));
    const start = after === undefined ? 0 : wanted.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && start === 0) throw Refusal.missing('object', after, 'starting_after', 400);
    return { object: 'list', data: wanted.slice(start, start + limit), has_more: wanted.length > start + limit, url };
  });
  return { [`GET ${url}`]: list };
}

function isWithin(value: number, created: Page['created']): boolean {
  if (typeof created === 'number') return value === created;
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = created ?? {};
  return value > gt && value >= gte && value < lt && value <= lte;
}

/** A filter that is not given takes everything. */
export function isOrAny(wanted: unknown, value: unknown): boolean {
  return wanted === undefined || wanted === value;
}

/** The error of Stripe's API, as its client reads it. */
interface ErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string;
  param?: string;
  decline_code?: string;
}

/** An answer that says no. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
  ) {
    super(body.message);
  }

  static invalid(message: string, param?: string, code?: string): Refusal {
    const named = { ...(code !== undefined && { code }), ...(param !== undefined && { param }) };
    return new Refusal(400, { type: 'invalid_request_error', message, ...named });
  }

  static missing(kind: string, id: string, param = 'id', status = 404): Refusal {
    const message = `No such ${kind}: '${id}'`;
    return new Refusal(status, { type: 'invalid_request_error', code: 'resource_missing', message, param });
  }
}
