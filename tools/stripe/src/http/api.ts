import type { FastifyRequest } from 'fastify';
import { type Handler, Refusal } from '../calls/call';
import { readParameters } from '../calls/parameters';
import { API_VERSION, newId } from '../schema/published';
import { DAY_SECONDS } from '../world/stripe-time';
import type { World } from '../world/world';

/** A call as it came and as it was answered. */
export interface AnsweredCall {
  /** As the README lists them: `POST /v1/subscriptions/:id`; null for a call that is not known. */
  route: string | null;
  request: { method: string; path: string; query: string; body: string };
  status: number;
  body: object;
}

export interface Answer {
  status: number;
  body: object;
  headers: Record<string, string>;
}

/** The API: who may call, answers kept by key for a day, errors. */
export class Api {
  private readonly kept = new Map<string, { whole: string; at: number; body: object }>();

  constructor(
    private readonly world: World,
    private readonly secretKey: string,
    private readonly onCall: (call: AnsweredCall) => void,
  ) {}

  /** Answers a request; whatever is refused is an error as Stripe writes it. */
  answer(route: string | null, handler: Handler, asked: FastifyRequest): Answer {
    const [path, query = ''] = asked.url.split('?') as [string, string?];
    const request = { method: asked.method, path, query, body: (asked.body as string | null) ?? '' };
    const headers: Record<string, string> = {
      date: this.world.time.now().toUTCString(),
      'request-id': newId('req', 14),
      'stripe-version': API_VERSION,
    };
    let answered: { status: number; body: object };
    try {
      this.authorize(asked.headers.authorization ?? '');
      const key = asked.method === 'POST' ? (asked.headers['idempotency-key'] as string | undefined) : undefined;
      const [whole, at] = [JSON.stringify(request), this.world.time.seconds];
      const first = this.firstAnswer(key, whole);
      if (first) headers['idempotent-replayed'] = 'true';
      const body = first ?? this.run(handler, request, (asked.params as { id?: string }).id ?? '');
      // Of what was refused nothing is kept: it may be sent again.
      if (key !== undefined && !first) this.kept.set(key, { whole, at, body });
      answered = { status: 200, body };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      answered = { status: error.status, body: { error: error.body } };
    }
    this.onCall({ route, request, ...answered });
    return { ...answered, headers };
  }

  /** @throws Refusal for a key that came with another request */
  private firstAnswer(key: string | undefined, whole: string): object | undefined {
    const first = this.kept.get(key ?? '');
    if (!first || first.at + DAY_SECONDS < this.world.time.seconds) return undefined;
    if (first.whole === whole) return first.body;
    const message = `Keys for idempotent requests can only be used with the same parameters: '${key}' came with others.`;
    throw new Refusal(400, { type: 'idempotency_error', message });
  }

  private run(handler: Handler, request: AnsweredCall['request'], id: string): object {
    const { expand: paths = [], ...params } = readParameters(handler.reads, request);
    const object = handler.answer({ params: params as never, world: this.world, id });
    const body = structuredClone(object) as Values;
    for (const wanted of paths as string[]) expand(this.world, body, wanted);
    return body;
  }

  private authorize(authorization: string): void {
    const [scheme, given = ''] = authorization.split(' ');
    const key = scheme === 'Basic' ? Buffer.from(given, 'base64').toString().split(':')[0]! : given;
    if (key === this.secretKey) return;
    throw new Refusal(401, { type: 'invalid_request_error', message: 'Invalid API Key provided.' });
  }
}

type Values = Record<string, unknown>;

const MOST_STEPS = 4;

/**
 * Replaces ids along a path such as `data.latest_invoice` by the objects themselves.
 * @throws Refusal for what cannot be expanded, and for more than four steps
 */
function expand(world: World, root: Values, path: string): void {
  const steps = path.split('.');
  if (steps.length > MOST_STEPS) {
    throw Refusal.invalid(`You cannot expand more than ${MOST_STEPS} levels of a property. Property: ${path}`);
  }
  follow(root, steps);

  function follow(target: Values, [name, ...rest]: string[]): void {
    if (name === undefined) return;
    if (name === 'data') return (target.data as Values[]).forEach((element) => follow(element, rest));
    // The one member that a coupon has only when it is asked for.
    if (target.object === 'coupon' && name === 'applies_to') {
      const products = world.productsOfCoupons.get(target.id as string);
      if (products) target.applies_to = { products };
      return;
    }
    const value = target[name];
    if (value === null) return;
    target[name] = Array.isArray(value) ? value.map((one) => expanded(one, name, rest)) : expanded(value, name, rest);
  }

  function expanded(value: unknown, name: string, rest: string[]): Values {
    const object = typeof value === 'string' ? structuredClone(world.find(value)) : value;
    if (!object) throw Refusal.invalid(`This property cannot be expanded (${name}).`, { param: `expand: ${path}` });
    follow(object as Values, rest);
    return object as Values;
  }
}
