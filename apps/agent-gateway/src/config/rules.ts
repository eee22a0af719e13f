import { CHAINS, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { isLocalHost } from '@evenkeel/platform/config';
import { Transform } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { getAddress, isAddress } from 'viem';
import { cdpKeyOf } from './keys';

type Settings = Readonly<Record<string, string | undefined>>;
type Check = (value: unknown, settings: Settings) => boolean;

function rule(name: string, check: Check, expected: string): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: (value, args?: ValidationArguments) => check(value, (args?.object ?? {}) as Settings),
      defaultMessage: () => `$property ${expected}`,
    },
  });
}

/** An EVM address, stored checksummed: some clients compare by exact string. */
export function IsAddress(): PropertyDecorator {
  const isAny = (value: unknown): value is string => typeof value === 'string' && isAddress(value, { strict: false });
  const checksummed = Transform(({ value }: { value: unknown }) => (isAny(value) ? getAddress(value) : value));
  const checked = rule('isAddress', isAny, 'must be an EVM address: 0x and 40 hex digits');
  return (target, property) => {
    checksummed(target, property);
    checked(target, property);
  };
}

/** A known token has one right name: with another one every client would pay into a 402 (D-22). */
export function FitsAsset(): PropertyDecorator {
  return rule(
    'fitsAsset',
    (name, { X402_ASSET, X402_NETWORK }) => {
      const chain = CHAINS.find(({ caip2 }) => caip2 === X402_NETWORK);
      const isKnown = X402_ASSET === undefined || X402_ASSET.toLowerCase() === chain?.usdc.address.toLowerCase();
      return isKnown ? name === undefined || name === chain?.usdc.name : typeof name === 'string';
    },
    'must be the EIP-712 name of X402_ASSET ("USD Coin" on Base, "USDC" on Base Sepolia)',
  );
}

export function IsCdpSecret(): PropertyDecorator {
  return rule(
    'isCdpSecret',
    (value) => {
      try {
        return value === undefined || (typeof value === 'string' && cdpKeyOf('', value) !== null);
      } catch {
        return false;
      }
    },
    'must be a P-256 private key in PEM, or an Ed25519 key in base64',
  );
}

export function IsCostList(): PropertyDecorator {
  const micros = /^\d{1,9}$/;
  const paths = new Set(PAID_ENDPOINTS.map(({ path }) => path));
  return rule(
    'isCostList',
    (value) => {
      if (typeof value !== 'string') return false;
      if (micros.test(value)) return true;
      const entries = value.split(',').map((entry) => entry.split('='));
      return entries.every(([path = '', cost = '', ...rest]) => paths.has(path) && micros.test(cost) && !rest.length);
    },
    'must be micro-USD, or a list path=micros with paid paths',
  );
}

export function RequiredInProduction(why: string): PropertyDecorator {
  return rule(
    'requiredInProduction',
    (value, { NODE_ENV }) => NODE_ENV !== 'production' || value !== undefined,
    `is required when NODE_ENV=production: ${why}`,
  );
}

/** Chain access (JSON-RPC), or the word `none`. */
export function IsRpcUrl(): PropertyDecorator {
  return rule(
    'isRpcUrl',
    (value, { NODE_ENV }) => {
      if (value === undefined || value === 'none') return true;
      if (typeof value !== 'string' || !URL.canParse(value)) return false;
      const { protocol, hostname } = new URL(value);
      return protocol === 'https:' || (protocol === 'http:' && isLocalHost(hostname) && NODE_ENV !== 'production');
    },
    'must be an https address (http only for this machine and names without a dot, and not in production), or the word none',
  );
}

export function GoesWith(other: string): PropertyDecorator {
  return rule(
    'goesWith',
    (value, settings) => (value === undefined) === (settings[other] === undefined),
    `and ${other} must be set together`,
  );
}
