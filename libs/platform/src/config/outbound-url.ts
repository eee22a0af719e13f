import { ValidateBy } from 'class-validator';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * An address this process calls: https without credentials or fragment. Plain http only to this machine, and not in
 * production (the class reads `NODE_ENV` itself).
 */
export function IsOutboundUrl(): PropertyDecorator {
  return ValidateBy({
    name: 'isOutboundUrl',
    validator: {
      validate: (value, args) => {
        const production = (args?.object as { NODE_ENV?: string } | undefined)?.NODE_ENV === 'production';
        return typeof value === 'string' && isOutboundUrl(value, production);
      },
      defaultMessage: () =>
        '$property must be an https address without credentials (http only for this machine, and not in production)',
    },
  });
}

function isOutboundUrl(value: string, production: boolean): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  if (url.username || url.password || url.hash) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && !production && LOOPBACK.has(url.hostname));
}
