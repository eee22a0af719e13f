import { Transform } from 'class-transformer';
import { IsUrl, ValidateBy, type ValidationArguments } from 'class-validator';

/** A rule whose sentence begins with the name of the setting. It needs no Nest: tools that only read settings do not load it. */
function rule(
  name: string,
  validate: (value: unknown, isProduction: boolean) => boolean,
  defaultMessage: (value: unknown) => string,
): PropertyDecorator {
  const isProduction = (args?: ValidationArguments) =>
    (args?.object as { NODE_ENV?: string } | undefined)?.NODE_ENV === 'production';
  return ValidateBy({
    name,
    validator: {
      validate: (value, args) => validate(value, isProduction(args)),
      defaultMessage: (args) => `$property ${defaultMessage(args?.value)}`,
    },
  });
}

function textAs(read: (text: string) => unknown): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? read(value) : value));
}

function both(first: PropertyDecorator, second: PropertyDecorator): PropertyDecorator {
  return (target, property) => {
    first(target, property);
    second(target, property);
  };
}

/**
 * A setting with a text format of its own, of which the property is no text.
 * @param expected ends the sentence `VARIABLE must be …`
 * @param read undefined for a text that is not valid
 */
function setting(name: string, expected: string, read: (text: string) => unknown): PropertyDecorator {
  const isRead = (value: unknown): boolean => value !== undefined && typeof value !== 'string';
  return both(
    textAs((text) => read(text) ?? text),
    rule(name, isRead, () => `must be ${expected}`),
  );
}

const HOST_AND_PORT = /^[a-z0-9.-]+:\d{1,5}$/i;

/** `host:port`, comma-separated, any brokers of the cluster. The property is a list of strings. */
export function IsBrokers(): PropertyDecorator {
  return setting('isBrokers', 'a list of host:port, comma-separated', (text) => {
    const brokers = text.split(',');
    return brokers.every((broker) => HOST_AND_PORT.test(broker)) ? brokers : undefined;
  });
}

/**
 * The address of a PostgreSQL server, with its protocol: the bare name of a host is refused.
 * @param expected ends the sentence `DATABASE_URL must be …`
 */
export function IsDatabaseUrl(expected = 'a postgres:// address'): PropertyDecorator {
  return IsUrl(
    { protocols: ['postgres', 'postgresql'], require_protocol: true, require_tld: false },
    { message: `$property must be ${expected}` },
  );
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a host is this machine, or a name without a dot, as containers beside this one have. */
export function isLocalHost(hostname: string): boolean {
  return LOOPBACK.has(hostname) || /^[\w-]+$/.test(hostname);
}

/**
 * An address that this process calls: https without credentials or fragment. Plain http only to this machine and to names
 * without a dot, and not in production (the class declares `NODE_ENV` too).
 */
export function IsOutboundUrl(): PropertyDecorator {
  return addressCalled(
    'isOutboundUrl',
    ({ hostname }, isProduction) => !isProduction && isLocalHost(hostname),
    'http only for this machine and names without a dot, and not in production',
  );
}

const CLUSTER_NAME = /^[\w-]+$|\.(svc|cluster\.local)$/;

/**
 * An address that this process calls within its cluster, to read keys or to send traces: as `IsOutboundUrl`, and plain http
 * also in production, to names without a dot or ending in `.svc` or `.cluster.local`.
 */
export function IsInternalUrl(): PropertyDecorator {
  return addressCalled(
    'isInternalUrl',
    ({ hostname }, isProduction) => CLUSTER_NAME.test(hostname) || (!isProduction && isLocalHost(hostname)),
    'http only for names without a dot or ending in .svc or .cluster.local, and for this machine outside production',
  );
}

/** @param mayBePlain whether plain http is good enough for the address */
function addressCalled(
  name: string,
  mayBePlain: (url: URL, isProduction: boolean) => boolean,
  terms: string,
): PropertyDecorator {
  const isValid = (value: unknown, isProduction: boolean): boolean => {
    if (typeof value !== 'string' || !URL.canParse(value)) return false;
    const url = new URL(value);
    if (url.username || url.password || url.hash) return false;
    return url.protocol === 'https:' || (url.protocol === 'http:' && mayBePlain(url, isProduction));
  };
  return rule(name, isValid, () => `must be an https address without credentials (${terms})`);
}

const PORT_MAX = 65_535;

/** A TCP port as a number; 0 takes a free one. */
export function IsPort(): PropertyDecorator {
  return setting('isPort', `a port number from 0 to ${PORT_MAX}`, (text) =>
    /^\d{1,5}$/.test(text) && Number(text) <= PORT_MAX ? Number(text) : undefined,
  );
}

/** How often something may happen. Both are integers from 1. */
export interface Rate {
  /** Times within the window. */
  limit: number;
  windowSeconds: number;
}

/** A setting `count/seconds`, both at least 1; the property is a `Rate`. */
export function IsRate(): PropertyDecorator {
  return setting('isRate', 'count/seconds, such as 600/60', (text) => {
    const [, limit = 0, windowSeconds = 0] = /^(\d{1,9})\/(\d{1,6})$/.exec(text)?.map(Number) ?? [];
    return limit > 0 && windowSeconds > 0 ? { limit, windowSeconds } : undefined;
  });
}

/** The rate with its limit multiplied by a factor above 0, rounded, at least 1; the window stays. */
export function scaled({ limit, windowSeconds }: Rate, factor: number): Rate {
  return { limit: Math.max(1, Math.round(limit * factor)), windowSeconds };
}

/** `on` or `off`, nothing else: a text such as `false` would be read as true. The property is a boolean. */
export function IsSwitch(): PropertyDecorator {
  return setting('isSwitch', 'on or off', (text) => (['on', 'off'].includes(text) ? text === 'on' : undefined));
}

/**
 * A setting `<app>:<step>`, for tests alone: at this step the process kills itself. The property is the step; it stays
 * unset when the step is one of another app, so that several apps can have one environment. The class declares `NODE_ENV` too.
 */
export function IsCrashPoint(app: string, steps: readonly string[]): PropertyDecorator {
  const named = steps.map((step) => `${app}:${step}`);
  const read = (text: string): string | null | undefined => {
    if (named.includes(text)) return text.slice(app.length + 1);
    // Null is no step of any app.
    return /^[a-z-]+:\w+$/.test(text) && !text.startsWith(`${app}:`) ? undefined : null;
  };
  return both(
    textAs(read),
    rule(
      'isCrashPoint',
      (value, isProduction) => value === undefined || (value !== null && !isProduction),
      (value) => (value === null ? `must be one of ${named.join(', ')}` : 'must not be set when NODE_ENV=production'),
    ),
  );
}
