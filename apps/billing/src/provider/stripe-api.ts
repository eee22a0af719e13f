import { Clock, DomainError } from '@evenkeel/kernel';
import { CircuitBreaker, type CallResult } from '@evenkeel/platform/service';
import { AppRegistry, expose } from '@evenkeel/platform/observability';
import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import type { Stripe } from 'stripe' with { 'resolution-mode': 'import' };
import { BillingConfig } from '../billing.config';

/** The rest of a request has its time too, before nobody waits for it any more. */
const WAITED_MS = 4_000;

/** No answer in the time that was left. The call goes on without the one who waited. */
export class NotInTime extends Error {}

/**
 * How long one request waits, for the provider however many calls it makes: each gets what those before have left.
 * Monotonic, so that a changed wall clock neither shortens nor lengthens it.
 */
export class WaitingTime {
  private readonly endsAt: number;

  constructor(private readonly ms = WAITED_MS) {
    this.endsAt = performance.now() + ms;
  }

  get isOver(): boolean {
    return this.leftMs <= 0;
  }

  /** Too little is left to tell a provider that is slow from one that is down. */
  get isShort(): boolean {
    return this.leftMs < this.ms / 2;
  }

  /** @throws NotInTime */
  async within<Result>(call: Promise<Result>): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new NotInTime()), Math.max(0, this.leftMs));
    });
    try {
      return await Promise.race([call, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private get leftMs(): number {
    return this.endsAt - performance.now();
  }
}

/** Of one try. A call may go on when nobody waits for it any more: an event announces what it does then. */
const CALL_LIMIT_MS = 5_000;
/** Each with the idempotency key of the first. */
const REPEATS = 2;
const RETRY_AFTER_SECONDS = 5;
const SECOND_MS = 1_000;

/** Nobody has set up payments here. */
export class ProviderNotConfigured extends DomainError {
  readonly kind = 'not_configured';
  readonly code = 'provider_not_configured';

  constructor(message = 'No payment provider is configured for this.') {
    super(message);
  }
}

/** The provider did not answer, or decided nothing: the same request may succeed later. */
export class ProviderUnavailable extends DomainError {
  readonly kind = 'unavailable';
  readonly code = 'service_unavailable';
  override readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor(override readonly cause?: unknown) {
    super('The payment provider does not answer at the moment. Try again in a few seconds.');
  }
}

/** Where people change their card. */
export const PORTAL_PATH = '/v1/billing/portal';

/** The card or the bank refused a payment: nothing has changed. */
export class PaymentDeclined extends DomainError {
  readonly kind = 'payment_required';
  readonly code = 'payment_declined';
  override readonly details = { portal_path: PORTAL_PATH };

  constructor() {
    super('The payment was declined, so nothing has changed. Use another card and try again.');
  }
}

/** The provider understood, and refused: status, code and parameter are its own. */
export class ProviderRefusal extends Error {
  constructor(
    readonly status: number,
    readonly providerCode: string | null,
    /** The parameter that it refused. */
    readonly param: string | null = null,
  ) {
    super(`the payment provider refused: ${status} ${providerCode ?? ''}`.trim());
  }

  get isMissing(): boolean {
    return this.status === 404 || this.providerCode === 'resource_missing';
  }
}

/** An answer of the provider. */
export interface Answered<Result> {
  result: Result;
  /** The second of the answer, by the provider's clock; the milliseconds only put answers of one second in their order. */
  at: Date;
}

/**
 * Calls to the provider: one pinned version of its API, bounded in time, repeated with the same idempotency key, and not
 * made while it does not answer. Never call it inside a transaction.
 */
@Injectable()
export class StripeApi implements OnModuleInit {
  private readonly circuit: CircuitBreaker;
  private client?: Promise<Stripe>;
  private lastAt = 0;

  constructor(
    private readonly config: BillingConfig,
    clock: Clock,
    registry: AppRegistry,
  ) {
    this.circuit = new CircuitBreaker(() => clock.elapsedMs());
    expose(registry, 'circuit_open', () =>
      this.isConfigured ? [{ labels: { dependency: 'stripe' }, value: this.isCircuitOpen ? 1 : 0 }] : [],
    );
  }

  /** So that the first call does not spend its time on loading the client. */
  async onModuleInit(): Promise<void> {
    if (this.isConfigured) await this.open();
  }

  get isConfigured(): boolean {
    return this.config.STRIPE_SECRET_KEY !== undefined;
  }

  /** Milliseconds since 1970 of its last answer, by its own clock; 0 before the first. */
  get lastAnswerAt(): number {
    return this.lastAt;
  }

  get isCircuitOpen(): boolean {
    return this.circuit.isOpen;
  }

  /**
   * @param ask one call; its parameters must not depend on the attempt
   * @param waiting of the request that makes the call; one that makes several passes the same to all of them
   * @throws ProviderNotConfigured, ProviderUnavailable, PaymentDeclined, ProviderRefusal
   */
  async call<Result extends object>(
    ask: (stripe: Stripe) => Promise<Result>,
    waiting = new WaitingTime(),
  ): Promise<Answered<Result>> {
    const stripe = await this.open();
    if (waiting.isOver || !this.circuit.admits(null)) throw new ProviderUnavailable();
    const { isShort } = waiting;
    try {
      const result = await waiting.within(ask(stripe));
      this.circuit.record('answered', null);
      return { result, at: this.inOrder(dateOf(result)) };
    } catch (error) {
      const { counts, thrown } = readError(error);
      this.circuit.record(isShort && error instanceof NotInTime ? 'undecided' : counts, null);
      throw thrown;
    }
  }

  /** @returns null for what the provider does not have; else as `call` */
  async find<Result extends object>(
    ask: (stripe: Stripe) => Promise<Result>,
    waiting?: WaitingTime,
  ): Promise<Answered<Result> | null> {
    try {
      return await this.call(ask, waiting);
    } catch (error) {
      if (error instanceof ProviderRefusal && error.isMissing) return null;
      throw error;
    }
  }

  private inOrder(second: number): Date {
    const isSameSecond = second <= this.lastAt && this.lastAt - second < SECOND_MS - 1;
    const at = isSameSecond ? this.lastAt + 1 : second;
    this.lastAt = Math.max(this.lastAt, at);
    return new Date(at);
  }

  private open(): Promise<Stripe> {
    const { STRIPE_SECRET_KEY, STRIPE_API_BASE } = this.config;
    if (STRIPE_SECRET_KEY === undefined) throw new ProviderNotConfigured();
    // A service without payments never loads it.
    this.client ??= import('stripe').then(({ default: StripeClient }) => {
      const base = STRIPE_API_BASE === undefined ? null : new URL(STRIPE_API_BASE);
      return new StripeClient(STRIPE_SECRET_KEY, {
        maxNetworkRetries: REPEATS,
        timeout: CALL_LIMIT_MS,
        telemetry: false,
        ...(base && {
          host: base.hostname,
          port: base.port || undefined,
          protocol: base.protocol === 'http:' ? 'http' : 'https',
        }),
      });
    });
    return this.client;
  }
}

const SERVER_ERROR = 500;
const TOO_MANY = 429;
const CONFLICT = 409;
const CARD_REFUSED = 402;

function readError(error: unknown): { counts: CallResult; thrown: Error } {
  const { statusCode, code, param } = (error ?? {}) as { statusCode?: number; code?: string; param?: string };
  if (statusCode === undefined || statusCode >= SERVER_ERROR || statusCode === TOO_MANY || statusCode === CONFLICT) {
    return { counts: 'failed', thrown: new ProviderUnavailable(error) };
  }
  if (statusCode === CARD_REFUSED) return { counts: 'answered', thrown: new PaymentDeclined() };
  return { counts: 'answered', thrown: new ProviderRefusal(statusCode, code ?? null, param ?? null) };
}

function dateOf(result: object): number {
  const headers = (result as Partial<Stripe.Response<object>>).lastResponse?.headers;
  const at = Date.parse(headers?.['date'] ?? '');
  if (Number.isNaN(at)) throw new ProviderUnavailable(new Error('the answer has no date'));
  return at;
}

/** One client of the provider for everything in the process. */
@Module({ providers: [StripeApi], exports: [StripeApi] })
export class ProviderModule {}
