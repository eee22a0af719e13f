export const APP_NAMES = ['agent-gateway', 'accounts', 'billing', 'reporting'] as const;
export type AppName = (typeof APP_NAMES)[number];

interface RouteOwner {
  app: AppName;
  /** A path and everything below it; `/` is what no other app owns. */
  prefixes: readonly string[];
}

/** Which service answers which path. Edge configurations and the standalone listener are made from this table. */
export const ROUTES: readonly RouteOwner[] = [
  {
    app: 'agent-gateway',
    prefixes: [
      '/',
      '/agent/v1',
      '/v1/capabilities',
      '/.well-known',
      '/.well-known/receipt-jwks.json',
      '/llms.txt',
      '/openapi.json',
      '/docs',
      '/health',
      '/mcp',
      '/robots.txt',
      '/favicon.ico',
      '/favicon.svg',
    ],
  },
  { app: 'accounts', prefixes: ['/v1/auth', '/v1/account', '/v1/habits', '/.well-known/jwks.json', '/dev/mails'] },
  { app: 'billing', prefixes: ['/v1/billing'] },
  { app: 'reporting', prefixes: ['/v1/admin', '/dashboard'] },
];

/** Whose work may take longer than the five seconds in which all else is answered. */
export const LONG_PATHS: readonly string[] = ['/v1/habits/import', '/v1/habits/export'];

/**
 * The service that answers a path: the longest prefix decides.
 * @param path without query
 */
export function ownerOf(path: string): AppName {
  return OWNERS.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))?.app ?? EVERYTHING_ELSE;
}

const EVERYTHING_ELSE: AppName = 'agent-gateway';

/** Longest prefix first. `/` itself needs no entry: it and unknown paths belong to the same service. */
const OWNERS = ROUTES.flatMap(({ app, prefixes }) => prefixes.map((prefix) => ({ app, prefix })))
  .filter(({ prefix }) => prefix !== '/')
  .sort((a, b) => b.prefix.length - a.prefix.length);
