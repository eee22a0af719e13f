import type { RouteOptions } from 'fastify';

/** Which methods an address answers: for 405, which Fastify does not tell from 404. */
export class AllowedMethods {
  private readonly fixed = new Map<string, Set<string>>();
  private readonly patterns = new Map<string, { matcher: RegExp; methods: Set<string> }>();

  add({ method, url }: Pick<RouteOptions, 'method' | 'url'>): void {
    for (const name of [method].flat()) this.methodsFor(url).add(name.toUpperCase());
  }

  /** @returns sorted, empty when nothing is there */
  at(path: string): string[] {
    const methods = new Set(this.fixed.get(path));
    for (const pattern of this.patterns.values()) {
      if (pattern.matcher.test(path)) for (const method of pattern.methods) methods.add(method);
    }
    return [...methods].sort();
  }

  private methodsFor(url: string): Set<string> {
    if (!/[:*]/.test(url)) return getOrAdd(this.fixed, url, () => new Set<string>());
    return getOrAdd(this.patterns, url, () => ({ matcher: matcherOf(url), methods: new Set<string>() })).methods;
  }
}

function matcherOf(url: string): RegExp {
  const source = url
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+')
    .replace(/\*/g, '.*');
  return new RegExp(`^${source}$`);
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
