import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Clock } from '@evenkeel/kernel';
import { AccessKeys } from '@evenkeel/platform/auth';
import { ServiceUnavailable } from '@evenkeel/platform/http';
import { failureSentence, ok, wrong, type Probe } from '@evenkeel/platform/service';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, request, type Dispatcher } from 'undici';
import type { RemoteSignInConfig } from './remote-sign-in.module';

const TIMEOUT_MS = 2_000;
const MAX_ANSWER_BYTES = 64 * 1_024;
/** As long as caches may store the document. */
const STALE_AFTER_MS = 300_000;
/** Whatever names of keys tokens bring along. */
const UNKNOWN_EVERY_MS = 30_000;
/** While there never was an answer, nobody can be let in. */
const FIRST_EVERY_MS = 1_000;

type Keys = ReadonlyMap<string, KeyObject>;

interface ReadOptions {
  /** For the whole answer. */
  timeoutMs: number;
  /** Bounds the size of the answer. */
  dispatcher?: Dispatcher;
}

/**
 * The keys of the service that signs, from its JWK Set. The last good answer is in use while there is no newer one:
 * a service that does not answer for a while ends no session elsewhere.
 */
export class RemoteAccessKeys extends AccessKeys implements OnApplicationShutdown {
  private readonly logger = new Logger('access-keys');
  private readonly agent = new Agent({ maxResponseSize: MAX_ANSWER_BYTES });
  private keys: Keys | null = null;
  private askedMs = -Infinity;
  private asking: Promise<void> | null = null;

  /** @param url of the JWK Set; never from a request */
  constructor(
    private readonly url: string,
    private readonly clock: Clock,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {
    super();
  }

  /** @throws ServiceUnavailable while there never was an answer */
  override async keyOf(kid: string): Promise<KeyObject | null> {
    const known = this.keys?.get(kid);
    // For the next request: this one has what it needs.
    if (known) void this.askAfter(STALE_AFTER_MS);
    else await this.askAfter(this.keys ? UNKNOWN_EVERY_MS : FIRST_EVERY_MS);
    if (!this.keys) throw new ServiceUnavailable();
    return known ?? this.keys.get(kid) ?? null;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  /** One question at a time, and the next not before this pause. Never rejects. */
  private askAfter(pauseMs: number): Promise<void> {
    const isDue = this.clock.elapsedMs() - this.askedMs >= pauseMs;
    if (!this.asking && isDue) this.asking = this.ask().finally(() => (this.asking = null));
    return this.asking ?? Promise.resolve();
  }

  private async ask(): Promise<void> {
    this.askedMs = this.clock.elapsedMs();
    try {
      this.keys = await readKeySet(this.url, { timeoutMs: this.timeoutMs, dispatcher: this.agent });
    } catch (error) {
      this.logger.warn({ message: 'the keys of access tokens cannot be read', error });
    }
  }
}

/**
 * The keys of a JWK Set, by their names.
 * @throws Error for everything but a set with a usable key
 */
async function readKeySet(url: string, { timeoutMs, dispatcher }: ReadOptions): Promise<Keys> {
  const signal = AbortSignal.timeout(timeoutMs);
  // Redirects are not followed: they would be another address than the one in the settings.
  const { statusCode, body } = await request(url, { dispatcher, signal });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`the answer has status ${statusCode}`);
  const { keys } = Object(JSON.parse(text)) as { keys?: unknown };
  const usable = new Map((Array.isArray(keys) ? keys : []).flatMap(namedKey));
  if (usable.size === 0) throw new Error('the answer has no key of ES256');
  return usable;
}

/** A key that cannot be used is left out: the set may have others for others. */
function namedKey(jwk: unknown): [string, KeyObject][] {
  const { kty, crv, x, y, kid } = Object(jwk) as Record<string, unknown>;
  if (kty !== 'EC' || crv !== 'P-256' || typeof kid !== 'string') return [];
  try {
    return [[kid, createPublicKey({ key: { kty, crv, x: String(x), y: String(y) }, format: 'jwk' })]];
  } catch {
    return [];
  }
}

/** For `main.js --check` of a service that signs nobody in itself. */
export function keySetProbe({ jwksUrl, JWKS_URL }: RemoteSignInConfig): Probe {
  const settings = JWKS_URL === undefined ? 'JWKS_URL or PUBLIC_BASE_URL' : 'JWKS_URL';
  const name = `The key set at ${jwksUrl}`;
  const examine = (timeoutMs: number) =>
    readKeySet(jwksUrl, { timeoutMs }).then(
      (keys) => [ok('jwks', `${name} has ${[...keys.keys()].join(', ')}.`)],
      (error: unknown) => [wrong('jwks', failureSentence(error, { name, settings }))],
    );
  return { subject: 'jwks', settings, examine };
}
