import { Transform } from 'class-transformer';
import { IsUrl, ValidateBy } from 'class-validator';

interface Setting {
  name: string;
  /** The value that the text represents; the text itself when it is not valid, for the rule to refuse. */
  read: (text: string) => unknown;
  isValid: (value: unknown) => boolean;
  /** Ends the sentence `VARIABLE must be …`. */
  expected: string;
}

/** A decorator for a setting with a text format of its own. It needs no Nest: tools that only read settings do not load it. */
function setting({ name, read, isValid, expected }: Setting): PropertyDecorator {
  const transform = Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? read(value) : value));
  const rule = ValidateBy({
    name,
    validator: { validate: isValid, defaultMessage: () => `$property must be ${expected}` },
  });
  return (target, property) => {
    transform(target, property);
    rule(target, property);
  };
}

const HOST_AND_PORT = /^[a-z0-9.-]+:\d{1,5}$/i;

/** `host:port`, comma-separated, any brokers of the cluster. The property is a list of strings. */
export function IsBrokers(): PropertyDecorator {
  return setting({
    name: 'isBrokers',
    read: (text) => text.split(','),
    isValid: (value) => Array.isArray(value) && value.every((broker) => HOST_AND_PORT.test(String(broker))),
    expected: 'a list of host:port, comma-separated',
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

/** A setting for tests and trials alone. The class declares `NODE_ENV` too. */
function NotInProduction(): PropertyDecorator {
  return ValidateBy({
    name: 'notInProduction',
    validator: {
      validate: (value, args) =>
        value === undefined || (args?.object as { NODE_ENV?: string } | undefined)?.NODE_ENV !== 'production',
      defaultMessage: () => '$property must not be set when NODE_ENV=production',
    },
  });
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
    ({ hostname }, production) => !production && isLocalHost(hostname),
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
    ({ hostname }, production) => CLUSTER_NAME.test(hostname) || (!production && isLocalHost(hostname)),
    'http only for names without a dot or ending in .svc or .cluster.local, and for this machine outside production',
  );
}

/** @param mayBePlain whether plain http is good enough for the address */
function addressCalled(
  name: string,
  mayBePlain: (url: URL, production: boolean) => boolean,
  terms: string,
): PropertyDecorator {
  const isValid = (value: unknown, production: boolean): boolean => {
    if (typeof value !== 'string' || !URL.canParse(value)) return false;
    const url = new URL(value);
    if (url.username || url.password || url.hash) return false;
    return url.protocol === 'https:' || (url.protocol === 'http:' && mayBePlain(url, production));
  };
  return ValidateBy({
    name,
    validator: {
      validate: (value, args) =>
        isValid(value, (args?.object as { NODE_ENV?: string } | undefined)?.NODE_ENV === 'production'),
      defaultMessage: () => `$property must be an https address without credentials (${terms})`,
    },
  });
}

const PORT_MAX = 65_535;

/** A TCP port as a number; 0 takes a free one. */
export function IsPort(): PropertyDecorator {
  return setting({
    name: 'isPort',
    read: (text) => (/^\d{1,5}$/.test(text) ? Number(text) : text),
    isValid: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= PORT_MAX,
    expected: `a port number from 0 to ${PORT_MAX}`,
  });
}

/** How often something may happen. Both are integers from 1. */
export interface Rate {
  /** Times within the window. */
  limit: number;
  windowSeconds: number;
}

const TEXT = /^(\d{1,9})\/(\d{1,6})$/;

/** A setting `count/seconds`, both at least 1; the property is a `Rate`. */
export function IsRate(): PropertyDecorator {
  return setting({
    name: 'isRate',
    read: (text) => rateOf(text) ?? text,
    isValid: (value) => typeof value === 'object',
    expected: 'count/seconds, such as 600/60',
  });
}

function rateOf(text: string): Rate | null {
  const [, limit = 0, windowSeconds = 0] = TEXT.exec(text)?.map(Number) ?? [];
  return limit > 0 && windowSeconds > 0 ? { limit, windowSeconds } : null;
}

/** The rate with its limit multiplied by a factor above 0, rounded, at least 1; the window stays. */
export function scaled({ limit, windowSeconds }: Rate, factor: number): Rate {
  return { limit: Math.max(1, Math.round(limit * factor)), windowSeconds };
}

/** `on` or `off`, nothing else: a text such as `false` would be read as true. The property is a boolean. */
export function IsSwitch(): PropertyDecorator {
  return setting({
    name: 'isSwitch',
    read: (text) => (text === 'on' ? true : text === 'off' ? false : text),
    isValid: (value) => typeof value === 'boolean',
    expected: 'on or off',
  });
}

/**
 * A setting `<app>:<step>`, for tests alone: at this step the process kills itself. The property is the step; it stays
 * unset when the step is one of another app, so that several apps can have one environment.
 */
export function IsCrashPoint(app: string, steps: readonly string[]): PropertyDecorator {
  const named = steps.map((step) => `${app}:${step}`);
  const crashPoint = setting({
    name: 'isCrashPoint',
    read: (text) => {
      if (named.includes(text)) return text.slice(app.length + 1);
      // Null is no step of any app.
      return /^[a-z-]+:\w+$/.test(text) && !text.startsWith(`${app}:`) ? undefined : null;
    },
    isValid: (value) => value !== null,
    expected: `one of ${named.join(', ')}`,
  });
  const forTests = NotInProduction();
  return (target, property) => {
    crashPoint(target, property);
    forTests(target, property);
  };
}
