import { Clock, DomainError } from '@evenkeel/kernel';
import { ServiceUnavailable } from '@evenkeel/platform/http';
import { MalformedJson } from '@evenkeel/platform/validation';
import { Injectable } from '@nestjs/common';
import { BillingConfig } from '../billing.config';
import { isObject, type ProviderObject } from '../provider/members';
import { ProviderNotConfigured } from '../provider/stripe-api';
import { TakeEvent, type Taken } from './take-event';
import { InvalidSignature, verifySignature } from './verify-signature';
import { WebhookCounts } from './webhook-counts';

/** The provider waits ten seconds; a database that hangs is told of long before, and the event comes again. */
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
      const taken = await inTime((isGivenUp) => this.takeEvent.execute(event, isGivenUp));
      this.counts.add(type, taken.reason ?? 'applied');
      return taken;
    } catch (error) {
      this.counts.add(type, error instanceof DomainError ? error.code : 'failed');
      throw error;
    }
  }

  private verified({ provider, signature: header, body }: Webhook): ProviderObject {
    if (provider !== 'stripe') throw new InvalidSignature('There is no such payment provider.');
    const { STRIPE_WEBHOOK_SECRET: current, STRIPE_WEBHOOK_SECRET_PREVIOUS: previous } = this.config;
    if (current === undefined) throw new ProviderNotConfigured();
    const secrets = previous === undefined ? [current] : [current, previous];
    verifySignature({ header, body, secrets, now: this.clock.now() });
    return objectIn(body);
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

/** What ends later counts all the same: the event that then comes again is a copy. */
async function inTime<Result>(work: (isGivenUp: () => boolean) => Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isOver = true;
      reject(new ServiceUnavailable());
    }, ANSWER_WITHIN_MS);
  });
  try {
    return await Promise.race([work(() => isOver), late]);
  } finally {
    clearTimeout(timer);
  }
}
