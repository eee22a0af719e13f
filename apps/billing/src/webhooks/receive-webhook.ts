import { createHmac, timingSafeEqual } from 'node:crypto';
import { Clock, DomainError } from '@evenkeel/kernel';
import { ServiceUnavailable } from '@evenkeel/platform/http';
import { MalformedJson } from '@evenkeel/platform/validation';
import { Injectable } from '@nestjs/common';
import { BillingConfig } from '../billing.config';
import { isObject, type ProviderObject } from '../provider/members';
import { NotInTime, ProviderNotConfigured, WaitingTime } from '../provider/stripe-api';
import { TakeEvent, type Taken } from './take-event';
import { WebhookCounts } from './webhook-counts';

export class InvalidSignature extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'invalid_signature';

  constructor(message = 'The signature does not belong to this body, or its time is not now.') {
    super(message);
  }
}

const TOLERANCE_SECONDS = 300;
/** The provider sends some hundred characters, also while a secret is changed. */
const LONGEST_HEADER = 4_096;
const TIME = /^\d{1,12}$/;
const DIGEST = /^[0-9a-f]{64}$/;

/**
 * HMAC-SHA256 over `<time>.<body>`, by one of the secrets, at most five minutes from now on either side. The header is
 * `t=<seconds>,v1=<digest>`, with more digests while secrets change, and others in schemes that are ignored.
 * @throws InvalidSignature
 */
function verifySignature({ signature: header, body }: Webhook, secrets: readonly string[], now: Date): void {
  if (typeof header !== 'string' || header.length > LONGEST_HEADER) throw new InvalidSignature();
  const parts = header.split(',').map((part) => part.trim());
  const valuesOf = (name: string) => parts.flatMap((part) => (part.startsWith(name) ? part.slice(name.length) : []));
  // As it was sent: it is a part of what is signed.
  const [time, ...more] = valuesOf('t=');
  if (time === undefined || more.length > 0 || !TIME.test(time)) throw new InvalidSignature();
  const ageSeconds = Math.floor(now.getTime() / 1_000) - Number(time);
  if (Math.abs(ageSeconds) > TOLERANCE_SECONDS) throw new InvalidSignature();
  const digests = valuesOf('v1=').filter((hex) => DIGEST.test(hex));
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
    // All of them, so that the time of an answer does not tell which one was nearly right.
    if (digests.filter((hex) => timingSafeEqual(Buffer.from(hex, 'hex'), expected)).length > 0) return;
  }
  throw new InvalidSignature();
}

/** The provider waits ten seconds; a database that hangs is answered long before, and the event comes again. */
const ANSWER_WITHIN_MS = 2_500;

export interface Webhook {
  /** Of the path. */
  provider: string;
  signature: string | string[] | undefined;
  /** The bytes that came. */
  body: Buffer;
}

/** One request of the provider: everything is checked before anything of it is read. */
@Injectable()
export class ReceiveWebhook {
  constructor(
    private readonly config: BillingConfig,
    private readonly clock: Clock,
    private readonly takeEvent: TakeEvent,
    private readonly counts: WebhookCounts,
  ) {}

  /** @throws InvalidSignature, ProviderNotConfigured, MalformedJson, ServiceUnavailable */
  async execute(webhook: Webhook): Promise<Taken> {
    let type: unknown;
    try {
      const event = this.verified(webhook);
      type = event['type'];
      const waiting = new WaitingTime(ANSWER_WITHIN_MS);
      // Work that ends later is valid all the same: the event that then comes again is a copy.
      const taken = await waiting.within(this.takeEvent.execute(event, () => waiting.isOver));
      this.counts.add(type, taken.reason ?? 'applied');
      return taken;
    } catch (thrown) {
      const error = thrown instanceof NotInTime ? new ServiceUnavailable() : thrown;
      this.counts.add(type, error instanceof DomainError ? error.code : 'failed');
      throw error;
    }
  }

  private verified(webhook: Webhook): ProviderObject {
    if (webhook.provider !== 'stripe') throw new InvalidSignature('There is no such payment provider.');
    const { STRIPE_WEBHOOK_SECRET: current, STRIPE_WEBHOOK_SECRET_PREVIOUS: previous } = this.config;
    if (current === undefined) throw new ProviderNotConfigured();
    const secrets = previous === undefined ? [current] : [current, previous];
    verifySignature(webhook, secrets, this.clock.now());
    return objectIn(webhook.body);
  }
}

/** It is signed, so nothing in it is an attack; whatever reads it takes no member for granted. */
function objectIn(body: Buffer): ProviderObject {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new MalformedJson();
  }
  if (!isObject(value)) throw new MalformedJson('The body is not a JSON object.');
  return value;
}
