import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { PaymentInProgress } from './settlement-outcome';

/** Of all slots: kept for payments that passed verify and for callers with one that did. */
const RESERVED_SHARE = 1 / 4;
const SLOTS_OF_ANY_CALLER = 8;
/** For a caller with a payment that was verified in the last minute. */
const SLOTS_OF_A_PAYER = 96;
const PAYER_FOR_MS = 60_000;
/** A payment whose verify takes longer leaves its slot when another one wants it. */
const VERIFY_UNDISTURBED_MS = 500;
/** When more callers have paid, all are forgotten: each is known again with its next payment. */
const MAX_PAYERS = 10_000;

/** Held by one payment while it is worked on. */
export class Slot {
  isVerified = false;
  /** Taken by another payment. Its caller has one slot less all the same, until its work has ended. */
  isLeft = false;
  /** Work that goes on although its request has no time left: for a body that came slowly that is all the work. */
  unfinished: Promise<unknown> | null = null;

  constructor(
    readonly caller: string,
    readonly isOfPayer: boolean,
    readonly takenMs: number,
    private readonly slots: Slots,
  ) {}

  /** Its payment has passed verify: it may have one of the reserved slots. @throws PaymentInProgress when there is none */
  passVerify(): void {
    this.slots.verified(this);
  }

  /** The ledger knows that the payment is this caller's own. */
  prove(): void {
    this.slots.addPayer(this.caller);
  }

  /** Its request is answered: the slot is free once its work has ended, too. */
  leave(): void {
    const free = () => this.slots.free(this);
    if (this.unfinished === null) free();
    else void this.unfinished.then(free, free);
  }
}

/**
 * How many payments this process works on at once, and how many of them one caller may have: a sender of payments that
 * verify slowly or never takes no slot from others.
 */
@Injectable()
export class Slots {
  /** An array: a Map that every call passes through costs the collector more. */
  private readonly held: Slot[] = [];
  private taken = 0;
  /** Unverified payments of callers that have not paid. */
  private ofStrangers = 0;
  private readonly max: number;
  private readonly maxOfStrangers: number;
  /** When a payment of these callers last was verified. */
  private readonly verifiedMs = new Map<string, number>();

  constructor(
    config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {
    this.max = config.PAID_CALLS_MAX;
    this.maxOfStrangers = Math.ceil(this.max * (1 - RESERVED_SHARE));
  }

  /** @throws PaymentInProgress when there is none */
  take(caller: string): Slot {
    const isOfPayer = this.clock.elapsedMs() - (this.verifiedMs.get(caller) ?? -Infinity) < PAYER_FOR_MS;
    const isCallerFull = this.heldBy(caller) >= (isOfPayer ? SLOTS_OF_A_PAYER : SLOTS_OF_ANY_CALLER);
    if (isCallerFull || !this.hasRoom(isOfPayer)) throw new PaymentInProgress('concurrency');
    const slot = new Slot(caller, isOfPayer, this.clock.elapsedMs(), this);
    this.held.push(slot);
    this.count(slot, 1);
    return slot;
  }

  verified(slot: Slot): void {
    if (slot.isLeft && this.taken >= this.max) throw new PaymentInProgress('concurrency');
    if (!slot.isLeft) this.count(slot, -1);
    slot.isVerified = true;
    slot.isLeft = false;
    this.count(slot, 1);
  }

  addPayer(caller: string): void {
    if (this.verifiedMs.size >= MAX_PAYERS) this.verifiedMs.clear();
    this.verifiedMs.set(caller, this.clock.elapsedMs());
  }

  free(slot: Slot): void {
    this.held.splice(this.held.indexOf(slot), 1);
    if (!slot.isLeft) this.count(slot, -1);
  }

  private hasRoom(isOfPayer: boolean): boolean {
    const isShareFull = !isOfPayer && this.ofStrangers >= this.maxOfStrangers;
    return (this.taken < this.max && !isShareFull) || this.clearOne(isShareFull);
  }

  /** Takes the slot of the payment whose verify has lasted longest. @returns false when none has lasted long */
  private clearOne(ofStranger: boolean): boolean {
    const sinceMs = this.clock.elapsedMs() - VERIFY_UNDISTURBED_MS;
    const slow = this.held.find(
      (slot) => !slot.isVerified && !slot.isLeft && slot.takenMs < sinceMs && (!ofStranger || !slot.isOfPayer),
    );
    if (!slow) return false;
    this.count(slow, -1);
    slow.isLeft = true;
    return true;
  }

  private count({ isVerified, isOfPayer }: Slot, change: 1 | -1): void {
    this.taken += change;
    if (!isVerified && !isOfPayer) this.ofStrangers += change;
  }

  private heldBy(caller: string): number {
    return this.held.reduce((count, slot) => (slot.caller === caller ? count + 1 : count), 0);
  }
}
