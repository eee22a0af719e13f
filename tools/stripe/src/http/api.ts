import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Handler, Refusal } from '../calls/call';
import { readParameters } from '../calls/parameters';
import { API_VERSION } from '../schema/published';
import { copyOf, newId } from '../world/ids';
import type { World } from '../world/world';

/** A call as it came and as it was answered. */
export interface AnsweredCall {
  /** As the README lists them: `POST /v1/subscriptions/:id`; null for a call that is not known. */
  route: string | null;
  request: { method: string; path: string; query: string; body: string };
  status: number;
  body: object;
}

interface Answer {
  status: number;
  body: object;
}

const KEPT_SECONDS = 86_400;

/** The API: who may call, answers kept by key for a day, versions, errors. */
export class Api {
  private readonly kept = new Map<string, Answer & { request: string; at: number }>();

  constructor(
    private readonly world: World,
    private readonly secretKey: string,
    private readonly onCall: (call: AnsweredCall) => void,
  ) {}

  /** Answers a request; whatever goes wrong is an error as Stripe writes it. */
  answer(route: string | null, handler: Handler, asked: FastifyRequest): (reply: FastifyReply) => FastifyReply {
    const [path, query = ''] = asked.url.split('?') as [string, string?];
    const request = { method: asked.method, path, query, body: (asked.body as string | null) ?? '' };
    const headers: Record<string, string> = {
      date: this.world.time.now().toUTCString(),
      'request-id': newId('req', 14),
      'stripe-version': API_VERSION,
    };
    const { status, body, isReplayed } = this.refusing(() => {
      this.authorize(headerOf(asked, 'authorization') ?? '');
      return this.once(headerOf(asked, 'idempotency-key') ?? null, request, () =>
        this.run({ route, handler, request, id: (asked.params as { id?: string }).id ?? '' }, headers),
      );
    });
    if (isReplayed) headers['idempotent-replayed'] = 'true';
    this.onCall({ route, request, status, body });
    return (reply) => reply.code(status).headers(headers).send(body);
  }

  private refusing<Result extends Answer>(work: () => Result): Result | (Answer & { isReplayed?: undefined }) {
    try {
      return work();
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, body: { error: error.body } };
      throw error;
    }
  }

  /** The first answer to a key, in place of another. What was refused before anything was done may be sent again. */
  private once(
    key: string | null,
    request: AnsweredCall['request'],
    run: () => Answer,
  ): Answer & { isReplayed?: boolean } {
    if (key === null || request.method !== 'POST') return this.refusing(run);
    const now = this.world.time.seconds;
    const whole = JSON.stringify(request);
    const first = this.kept.get(key);
    if (first && first.at + KEPT_SECONDS >= now) {
      if (first.request === whole) return { ...first, isReplayed: true };
      const message = `Keys for idempotent requests can only be used with the same parameters: '${key}' came with others.`;
      throw new Refusal(400, { type: 'idempotency_error', message });
    }
    this.world.events.idempotencyKey = key;
    const answer = this.refusing(run);
    if (answer.status < 300 || answer.status === 402) this.kept.set(key, { ...answer, request: whole, at: now });
    return answer;
  }

  private run(
    { route, handler, request, id }: { route: string | null; handler: Handler; request: Request; id: string },
    headers: Record<string, string>,
  ): Answer {
    const { expand: paths = [], ...params } = route === null ? {} : readParameters(handler.reads, request);
    const { events } = this.world;
    events.request = headers['request-id']!;
    try {
      const object = handler.answer({ params: params as never, world: this.world, id });
      const body = copyOf(object) as Values;
      for (const wanted of paths as string[]) expand(this.world, body, wanted);
      return { status: 200, body };
    } finally {
      events.request = null;
      events.idempotencyKey = null;
    }
  }

  private authorize(authorization: string): void {
    const [scheme, given = ''] = authorization.split(' ');
    const key = scheme === 'Basic' ? Buffer.from(given, 'base64').toString().split(':')[0]! : given;
    if (key === this.secretKey) return;
    const message = key === '' ? 'You did not provide an API key.' : `Invalid API Key provided: ${key.slice(0, 8)}***`;
    throw new Refusal(401, { type: 'invalid_request_error', message });
  }
}

type Request = AnsweredCall['request'];

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  return headers[name] as string | undefined;
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
    const found = typeof value === 'string' ? world.find(value) : (value as object | undefined);
    if (!found) throw Refusal.invalid(`This property cannot be expanded (${name}).`, `expand: ${path}`);
    const object = (typeof value === 'string' ? copyOf(found) : found) as Values;
    follow(object, rest);
    return object;
  }
}
