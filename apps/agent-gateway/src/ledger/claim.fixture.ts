import { randomBytes } from 'node:crypto';
import { CREDIT_FACE_MICROS } from '@evenkeel/contracts';
import { uuidv7 } from '@evenkeel/kernel';
import { analyze, base, noon } from '../payments/payment.fixture';
import type { AnswerRecord, CreditOffer } from './answers';
import type { Claim } from './claim-payments';
import type { Settlement } from './record-settlements';

export const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`;

/** A payment that verified, about to be settled. */
export function aClaim(over: Partial<Claim> = {}): Claim {
  return {
    id: uuidv7(noon),
    chainId: base.chainId,
    asset: base.usdc.address.toLowerCase(),
    payer: hex(20),
    nonce: hex(32),
    endpoint: analyze.path,
    priceMicros: analyze.priceMicros,
    fingerprint: 'f',
    payloadDigest: 'd',
    paymentIdentifier: null,
    idempotencyKey: null,
    authorization: '{}',
    signature: '0x',
    requirementsId: 1,
    v2Grade: true,
    requestId: 'request-1',
    costMicros: 400,
    verifiedAt: noon,
    createdAt: noon,
    validBefore: new Date(noon.getTime() + 300_000),
    ...over,
  };
}

export function anAnswer(over: Partial<AnswerRecord> = {}): AnswerRecord {
  const expiresAt = new Date(noon.getTime() + 3_600_000);
  const body = Buffer.from('{}');
  const answer = { callId: uuidv7(noon), status: 200, body, engineVersion: '1.0.0', receipt: null, expiresAt };
  return { ...answer, credit: null, ...over };
}

/** Of an answer that takes a credit with it, if one is due. */
export function aCreditOffer(): CreditOffer {
  const token = { clear: '', hash: randomBytes(32).toString('hex'), sealed: randomBytes(32) };
  return { id: uuidv7(noon), eventId: uuidv7(noon), token, faceMicros: CREDIT_FACE_MICROS, expiresAt: null };
}

export function aSettlement(payment: Claim, over: Partial<Settlement> = {}): Settlement {
  return { payment, transactionHash: hex(32), settledAt: noon, answer: anAnswer(), ...over };
}
