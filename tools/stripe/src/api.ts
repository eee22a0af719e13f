import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Handler } from './calls';
import { DAY_SECONDS } from './periods';
import { API_VERSION, newId } from './schema/published';
import { Refusal, type World } from './world';

export interface AnsweredCall {
  /** As the README lists them: `POST /v1/subscriptions/:id`; null for a call that is not known. */
  route: string | null;
  request: { method: string; path: string; query: string; body: string };
  status: number;
  body: object;
}

export const API_MODES = ['down', 'slow', 'hang', 'error500', 'rate_limited', 'lost_answer'] as const;
export type ApiMode = (typeof API_MODES)[number];

/** The API: faults, who may call, answers kept by key for a day, errors. */
export class Api {
  /** The fault that is on, for so many calls. */
  fault: { mode: ApiMode | null; left: number; ms: number } = { mode: null, left: 0, ms: 0 };
  private readonly kept = new Map<string, { whole: string; at: number; body: object }>();

  constructor(
    private readonly world: World,
    private readonly secretKey: string,
    private readonly onCall: (call: AnsweredCall) => void,
  ) {}

  /** Answers through the fault that is on. */
  async serve(route: string | null, handler: Handler, asked: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const mode = this.fault.left > 0 ? this.fault.mode : null;
    this.fault.left -= 1;
    if (mode === 'error500' || mode === 'rate_limited') {
      const error = { type: 'api_error', message: `The mode is ${mode}.` };
      return reply.code(mode === 'error500' ? 500 : 429).send({ error });
    }
    if (mode === 'slow') await sleep(this.fault.ms, undefined, { ref: false });
    if (mode !== 'down' && mode !== 'hang') {
      const { status, body, headers } = this.answer(route, handler, asked);
      if (mode !== 'lost_answer') return reply.code(status).headers(headers).send(body);
    }
    reply.hijack();
    if (mode !== 'hang') reply.raw.socket?.resetAndDestroy();
    return reply;
  }

  /** Whatever is refused is an error as Stripe writes it. */
  private answer(route: string | null, handler: Handler, asked: FastifyRequest) {
    const [path, query = ''] = asked.url.split('?') as [string, string?];
    const request = { method: asked.method, path, query, body: (asked.body as string | null) ?? '' };
    const headers: Record<string, string> = {
      date: this.world.now().toUTCString(),
      'request-id': newId('req'),
      'stripe-version': API_VERSION,
    };
    let answered: { status: number; body: object };
    try {
      this.authorize(asked.headers.authorization ?? '');
      const key = asked.method === 'POST' ? (asked.headers['idempotency-key'] as string | undefined) : undefined;
      const whole = JSON.stringify(request);
      const first = this.firstAnswer(key, whole);
      if (first) headers['idempotent-replayed'] = 'true';
      const body = first ?? this.run(handler, request, (asked.params as { id?: string }).id ?? '');
      // Of what was refused nothing is kept: it may be sent again.
      if (key !== undefined && !first) this.kept.set(key, { whole, at: this.world.seconds, body });
      answered = { status: 200, body };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      answered = { status: error.status, body: error.body };
    }
    this.onCall({ route, request, ...answered });
    return { ...answered, headers };
  }

  /** @throws Refusal for a key that came with another request */
  private firstAnswer(key: string | undefined, whole: string): object | undefined {
    const first = this.kept.get(key ?? '');
    if (!first || first.at + DAY_SECONDS < this.world.seconds) return undefined;
    if (first.whole === whole) return first.body;
    const message = `Keys for idempotent requests can only be used with the same parameters: '${key}' came with others.`;
    throw new Refusal(message, { type: 'idempotency_error' });
  }

  private run(handler: Handler, request: AnsweredCall['request'], id: string): object {
    const { expand: paths = [], ...params } = readParameters(handler.reads, request);
    const object = handler.answer({ params: params as never, world: this.world, id });
    const body = structuredClone(object) as Values;
    for (const path of paths as string[]) expand(this.world, body, path.split('.'));
    return body;
  }

  private authorize(authorization: string): void {
    const [scheme, given = ''] = authorization.split(' ');
    const key = scheme === 'Basic' ? Buffer.from(given, 'base64').toString().split(':')[0]! : given;
    if (key !== this.secretKey) throw new Refusal('Invalid API Key provided.', {}, 401);
  }
}

type Values = Record<string, unknown>;

/**
 * Parameters of a call as a tree: `items[0][price]=x` lies under `items`, `0`, `price`.
 * @param known names that it reads, beside `expand`
 * @throws Refusal
 */
function readParameters(known: readonly string[], text: { query: string; body: string }): Values {
  const tree: Values = {};
  // The client writes the form of a DELETE into the query.
  for (const [name, value] of [...new URLSearchParams(text.query), ...new URLSearchParams(text.body)]) {
    const steps = name.split('[').map((part) => part.replace(/\]$/, ''));
    if (steps[0] !== 'expand' && !known.includes(steps[0]!)) {
      const named = { param: name, code: 'parameter_unknown' };
      throw new Refusal(`The development Stripe does not read ${name}`, named);
    }
    set(tree, steps, steps.includes('metadata') ? value : typed(value));
  }
  return tree;
}

/** A step that is a number, or empty, is of a list. */
function set(tree: Values, [step, next, ...rest]: string[], value: unknown): void {
  const key = step === '' ? String(tree['length']) : step!;
  if (next === undefined) tree[key] = value;
  else set((tree[key] ??= /^\d*$/.test(next) ? [] : {}) as Values, [next, ...rest], value);
}

/** In a form everything is text. */
function typed(value: string): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  return /^\d+$/.test(value) ? Number(value) : value;
}

const MOST_STEPS = 4;

/**
 * Replaces ids along a path such as `data.latest_invoice` by the objects themselves.
 * @throws Refusal for what cannot be expanded, and for more than four steps
 */
function expand(world: World, target: Values, [name, ...rest]: readonly string[]): void {
  if (name === undefined || target[name] === null) return;
  if (rest.length >= MOST_STEPS) throw new Refusal(`You cannot expand more than ${MOST_STEPS} levels of a property.`);
  // The one member that a coupon has only when it is asked for.
  if (target['object'] === 'coupon' && name === 'applies_to') {
    const products = world.productsOfCoupons.get(target['id'] as string);
    if (products) target[name] = { products };
    return;
  }
  const values = [target[name]]
    .flat()
    .map((one) => (typeof one === 'string' ? structuredClone(world.named(one)) : one));
  if (values.includes(undefined)) throw new Refusal(`This property cannot be expanded (${name}).`);
  for (const value of values as Values[]) expand(world, value, rest);
  target[name] = Array.isArray(target[name]) ? values : values[0];
}
