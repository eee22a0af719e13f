import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const SLASH = 47;

/**
 * The path a request target is routed by: without query, without the host of an absolute target, decoded. What cannot
 * be decoded stays as it is.
 */
export function pathOf(target: string): string {
  const query = target.indexOf('?');
  let path = query === -1 ? target : target.slice(0, query);
  if (path.charCodeAt(0) !== SLASH && URL.canParse(target)) path = new URL(target).pathname;
  return path.includes('%') ? decoded(path) : path;
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

const ACCEPTED = /^[A-Za-z0-9._-]{8,128}$/;

/** The caller's `X-Request-Id` where it is well formed, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID();
}
