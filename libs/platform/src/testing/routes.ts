import type { INestApplication } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

const LINE = /^([│ ]*)[└├]── (\S*)(?: \((.+)\))?$/;
const INDENT = 4;
const IMPLIED = new Set(['HEAD', 'OPTIONS']);

/**
 * Every route that an initialized application answers, as `GET /path/:parameter`, sorted; HEAD, which goes with GET,
 * and OPTIONS, which every address answers, are left out.
 * Fastify prints them as a tree of common beginnings only.
 */
export function routesOf(app: INestApplication): string[] {
  const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
  const beginnings: string[] = [];
  const routes = new Set<string>();
  for (const line of fastify.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent, part, methods] = LINE.exec(line) ?? [];
    if (indent === undefined) continue;
    const depth = indent.length / INDENT;
    const path = (beginnings[depth - 1] ?? '') + part!;
    beginnings[depth] = path;
    for (const method of methods?.split(', ') ?? []) if (!IMPLIED.has(method)) routes.add(`${method} ${path}`);
  }
  return [...routes].sort();
}

interface Reply {
  status: number;
  headers: Headers;
}

const CALLS = 3;

/**
 * Calls every route a few times, where limits allow one call in a window.
 * @param routes as `routesOf` names them
 * @param nextWindow ends all windows
 * @returns those that answered the first call, and refused the others with 429 and `Retry-After`
 * @throws Error for a route that refuses only some of the others
 */
export async function limitedRoutes(
  routes: readonly string[],
  call: (method: string, path: string) => Promise<Reply>,
  nextWindow: () => unknown,
): Promise<string[]> {
  const limited: string[] = [];
  for (const route of routes) {
    await nextWindow();
    const [method, path] = route.split(' ');
    const refused: boolean[] = [];
    for (let count = 0; count < CALLS; count++) refused.push(isRefusal(await call(method!, path!)));
    const [first, ...others] = refused;
    if (first || new Set(others).size > 1) throw new Error(`${route} refuses ${String(refused)}`);
    if (others[0]) limited.push(route);
  }
  return limited;
}

function isRefusal({ status, headers }: Reply): boolean {
  if (status !== 429) return false;
  if (!/^[1-9]\d*$/.test(headers.get('retry-after') ?? '')) throw new Error('429 without Retry-After');
  return true;
}
