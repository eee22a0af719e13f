import type { World } from '../world/world';

/** One request to the API. */
export interface Call<Params> {
  params: Params;
  world: World;
  /** The parameter of the path: `/v1/customers/:id`. */
  id: string;
}

export interface Handler {
  /** Parameters that it reads: any other is refused, so that nothing is ignored silently. */
  reads: readonly string[];
  /** Answers a call with an object, or throws a Refusal. */
  answer: (call: Call<never>) => object;
}

/** Method and path to handler. */
export type Calls = Record<string, Handler>;

/** A call with the parameters that Stripe's own client declares. */
export function call<Params>(reads: readonly string[], answer: (call: Call<Params>) => object): Handler {
  return { reads, answer };
}

/** Retrieves one object of a table. */
export function retrieval<Kept>(kind: string, table: (world: World) => ReadonlyMap<string, Kept>): Handler {
  return call([], ({ world, id }) => found(table(world), kind, id) as object);
}

/** @param param of the call, where the id is none of its path */
export function found<Kept>(table: ReadonlyMap<string, Kept>, kind: string, id = '', param?: string): Kept {
  const object = table.get(id);
  if (!object) throw Refusal.missing(kind, id, param);
  return object;
}

interface Page {
  limit?: number;
  starting_after?: string;
  created?: { gte?: number };
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
    const since = created?.gte ?? 0;
    const wanted = [...all(asked)].reverse().filter((one) => one.created >= since && isWanted(one, asked.params));
    const start = after === undefined ? 0 : wanted.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && start === 0) throw Refusal.missing('object', after, 'starting_after');
    return { object: 'list', data: wanted.slice(start, start + limit), has_more: wanted.length > start + limit, url };
  });
  return { [`GET ${url}`]: list };
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

  static invalid(message: string, named: Pick<ErrorBody, 'code' | 'param'> = {}): Refusal {
    return new Refusal(400, { type: 'invalid_request_error', message, ...named });
  }

  /** 404 for the object of the path, 400 for one that a parameter names. */
  static missing(kind: string, id: string, param?: string): Refusal {
    const missing = { type: 'invalid_request_error', code: 'resource_missing', param: param ?? 'id' } as const;
    return new Refusal(param === undefined ? 404 : 400, { ...missing, message: `No such ${kind}: '${id}'` });
  }
}
