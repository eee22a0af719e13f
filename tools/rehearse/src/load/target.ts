import { BadUsage } from '@evenkeel/platform/command-line';
import { IsDatabaseUrl } from '@evenkeel/platform/config';
import { IsNotIn, IsOptional, IsString, IsUrl } from 'class-validator';
import { type ClusterState, type Mix, NoCluster, type RequestKind, type Targets, Traffic, readState } from '../cluster';
import { grantCredits } from './grant-credits';
import { type WatchedProcess, untilCaughtUp } from './running';

/** What load and soak read from the environment. */
export class LoadConfig {
  @IsOptional()
  @IsNotIn(['production'], { message: 'NODE_ENV must not be production: accounts and credits are made up' })
  NODE_ENV?: string;
  /** Where the state of a running cluster is. */
  @IsString() DATA_DIR = '.data';
  /** Of the ledger, for credits; the cluster says its own. */
  @IsOptional()
  @IsDatabaseUrl('the postgres:// address of the ledger of the agent gateway')
  GATEWAY_DATABASE_URL?: string;
  /** Of the provider, for webhooks; the cluster says its own. */
  @IsOptional() @IsUrl({ require_tld: false }) STRIPE_API_BASE?: string;
  @IsOptional() @IsString() STRIPE_SECRET_KEY?: string;
  @IsOptional() @IsString() STRIPE_WEBHOOK_SECRET?: string;
}

const DEFAULT_URL = 'http://localhost:8080';

/** Where requests go, and what is known there. */
export interface Target {
  targets: Targets;
  /** Of the ledger of the agent gateway. */
  gatewayDatabase?: string;
  /** Those whose metrics can be read: of our cluster, or at the addresses that were named. */
  processes: readonly WatchedProcess[];
}

export interface Asked {
  url?: string;
  kinds: readonly RequestKind[];
  ownsAddress: boolean;
  /** Base addresses of processes, where metrics are. */
  metrics?: readonly string[];
}

/**
 * The running cluster, or the address that was named.
 * @throws BadUsage where the address is not of this machine, or something is missing for a kind of request
 */
export function findTarget({ url: named, kinds, ownsAddress, metrics = [] }: Asked, config: LoadConfig): Target {
  const cluster = clusterAt(config.DATA_DIR, named);
  const url = named ?? cluster?.url ?? DEFAULT_URL;
  for (const address of [url, ...metrics]) refuseStrangers(address, ownsAddress);
  const gatewayDatabase = config.GATEWAY_DATABASE_URL ?? cluster?.databases['agent-gateway'];
  const targets = {
    url,
    stripeUrl: config.STRIPE_API_BASE ?? cluster?.stripeUrl ?? '',
    stripeKey: config.STRIPE_SECRET_KEY ?? cluster?.stripeKey ?? '',
    webhookSecret: config.STRIPE_WEBHOOK_SECRET ?? cluster?.webhookSecret ?? '',
    adminToken: cluster?.adminToken ?? '',
  };
  const missing = {
    ...(gatewayDatabase === undefined && { credit: 'GATEWAY_DATABASE_URL' }),
    ...(Object.values({ ...targets, adminToken: 'not needed' }).includes('') && {
      webhook: 'STRIPE_API_BASE, STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET',
    }),
  } as Partial<Record<RequestKind, string>>;
  refuseMissing(missing, kinds);
  const watched = metrics.map((address) => ({ name: new URL(address).host, internalUrl: address.replace(/\/$/, '') }));
  return { targets, gatewayDatabase, processes: watched.length > 0 ? watched : (cluster?.processes ?? []) };
}

function clusterAt(dataDir: string, named: string | undefined): ClusterState | undefined {
  try {
    const state = readState(dataDir);
    return named === undefined || new URL(named).origin === new URL(state.url).origin ? state : undefined;
  } catch (error) {
    if (error instanceof NoCluster) return undefined;
    throw error;
  }
}

function refuseStrangers(url: string, ownsAddress: boolean): void {
  const { hostname } = new URL(url);
  const isThisMachine = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
  if (isThisMachine || ownsAddress) return;
  throw new BadUsage(
    `${hostname} is not this machine, and so many requests are an attack there. Where it is yours, add --i-own-this-address`,
  );
}

function refuseMissing(missing: Partial<Record<RequestKind, string>>, kinds: readonly RequestKind[]): void {
  const wanting = kinds.filter((kind) => missing[kind] !== undefined);
  if (wanting.length === 0) return;
  const needs = wanting.map((kind) => `${kind} needs ${missing[kind]}`).join(', and ');
  const others = kinds.filter((kind) => missing[kind] === undefined);
  const only = others.length === 0 ? '' : ` Without: ${others.map((kind) => `--only ${kind}`).join(' ')}`;
  throw new BadUsage(`No cluster is known at this address, and ${needs}. Start one with "npm run cluster".${only}`);
}

/** @throws Error with what to do when nobody answers there */
export async function assertAnswers({ targets: { url } }: Target): Promise<void> {
  try {
    const answer = await fetch(new URL('/v1/capabilities', url), { signal: AbortSignal.timeout(10_000) });
    await answer.arrayBuffer();
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message;
    throw new Error(
      `Nothing answers at ${url} (${reason}). Start it with "npm run cluster", or name another with --url.`,
      {
        cause: error,
      },
    );
  }
}

const CONNECTIONS = 256;
const VISITORS = 20;
/** A credit more often than planned is better than one too few. */
const SPARE = 1.02;
/** Events of one subscription: more than this lie years apart in the life of one. */
const EVENTS_OF_ONE = 250;
/** Seconds between two events of a subscription: the provider counts no parts of a second. */
const APART = 1.4;
const PEOPLE_MOST = 2_000;

/**
 * Callers with all that requests of a mix need: people who sign in, subscriptions, credits. It is over when the services have
 * read all of it.
 * @param seconds for which the mix will run
 * @throws Error with a sentence when something of it cannot be made
 */
export async function prepareTraffic(
  target: Target,
  mix: Mix,
  seconds: number,
  report: (step: string) => void,
): Promise<Traffic> {
  const traffic = new Traffic(target.targets, { connections: CONNECTIONS });
  try {
    const { credit = 0, login = 0, webhook = 0 } = mix;
    if (credit > 0) {
      const count = Math.ceil(credit * seconds * SPARE);
      report(`granting ${count} credits`);
      traffic.agents.grant(await grantCredits(target.gatewayDatabase!, count));
    }
    const people = webhook === 0 ? 0 : peopleFor(webhook, seconds);
    if (people > 0) report(`${people} people register and upgrade`);
    await traffic.people.prepare(people, login > 0 ? VISITORS : 0);
    if (webhook > 0) await traffic.webhooks.prepare();
    await untilCaughtUp(target.processes, report);
    return traffic;
  } catch (error) {
    await traffic.close();
    throw error;
  }
}

function peopleFor(perSecond: number, seconds: number): number {
  const wanted = Math.max(perSecond * APART, (perSecond * seconds) / EVENTS_OF_ONE, 1);
  return Math.min(PEOPLE_MOST, Math.ceil(wanted));
}
