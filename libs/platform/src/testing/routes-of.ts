import type { INestApplication } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
// Tells the compiler of `fastify.shortcuts`, also where nothing else of HTTP is compiled.
import type {} from '../http/shortcuts';

const LINE = /^([│ ]*)[└├]── (\S*)(?: \((.+)\))?$/;
const INDENT = 4;

/**
 * Every route that an initialized application answers, as `GET /path/:parameter`, sorted; HEAD goes with GET and is left out.
 * Fastify tells them as a tree of common beginnings only.
 */
export function routesOf(app: INestApplication): string[] {
  const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
  const beginnings: string[] = [];
  const routes = fastify.shortcuts.paths.map((path) => `POST ${path}`);
  for (const line of fastify.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent, part, methods] = LINE.exec(line) ?? [];
    if (indent === undefined) continue;
    const depth = indent.length / INDENT;
    const path = (beginnings[depth - 1] ?? '') + part!;
    beginnings[depth] = path;
    for (const method of methods?.split(', ') ?? []) if (method !== 'HEAD') routes.push(`${method} ${path}`);
  }
  return routes.sort();
}
