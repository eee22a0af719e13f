import { type Address, type Hex, hexToBigInt, isAddressEqual, recoverTypedDataAddress, size, slice } from 'viem';
import { TRANSFER_TYPES } from '../chain/token';
import type { TokenChain } from '../chain/token-chain';
import { type PaymentRequest, readPaymentRequest } from './payment-request';
import { PaymentRefused, reasonFor, type X402Version } from './refusal';

/** The answer over HTTP: the body decides, not the status. */
export interface Answer {
  status: number;
  body: object;
}

/** A call as it came: with its payment, or with what is wrong with it. */
export interface PaymentCall {
  target: 'verify' | 'settle';
  x402Version: X402Version;
  payment: PaymentRequest | PaymentRefused;
}

/** How a settlement goes. Without one: into the newest block, at once. */
export interface Delivery {
  /** The transaction stays pending; it lands after this time, or never by itself (null). */
  pendingForMs?: number | null;
  /** The transaction lands and is reverted. */
  reverts?: boolean;
}

interface Refusal {
  reason: string;
  status?: number;
  /** Hash of a transaction that was sent all the same. */
  transaction?: Hex;
}

/** A transfer needs this long to reach a block. */
const MIN_SECONDS_LEFT = 6;

/** Half the order of secp256k1: the token refuses a greater `s`, so that each signature has one form. */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const MAX_REMEMBERED = 5_000;

/** Verifies and settles payments of scheme `exact` in one token, the way public facilitators do. */
export class Facilitator {
  /** The versions that are taken and listed. */
  versions: ReadonlySet<X402Version> = new Set([1, 2]);
  /** Recovery costs milliseconds and settle follows verify, so signers are remembered. */
  private readonly signers = new Map<string, Promise<Address | null>>();
  /** Sent and not confirmed yet, by signature: how an identical version 2 request finds its own again. */
  private readonly sent = new Map<Hex, { hash: Hex; lands: boolean }>();

  constructor(readonly chain: TokenChain) {}

  supported(): Answer {
    const kinds = [...this.versions].map((x402Version) => ({
      x402Version,
      scheme: 'exact',
      network: this.networkName(x402Version),
    }));
    return { status: 200, body: { kinds, extensions: [], signers: {} } };
  }

  /** Never throws: what cannot be read is refused like any other payment. Anything but a 1 is answered in version 2. */
  receive(target: PaymentCall['target'], body: unknown): PaymentCall {
    const x402Version = (body as { x402Version?: unknown } | null)?.x402Version === 1 ? 1 : 2;
    try {
      if (!this.versions.has(x402Version)) throw new PaymentRefused('version');
      return { target, x402Version, payment: readPaymentRequest(body) };
    } catch (error) {
      if (!(error instanceof PaymentRefused)) throw error;
      return { target, x402Version, payment: error };
    }
  }

  /** The faithful answer. */
  answer(call: PaymentCall): Promise<Answer> {
    return call.target === 'verify' ? this.verify(call) : this.settle(call);
  }

  /** Moves the money once: a second settle of the same authorization is refused without a hash. */
  settle(call: PaymentCall, delivery: Delivery = {}): Promise<Answer> {
    return this.refusing(call, async () => {
      const payment = await this.signed(call);
      // No await from here on: copies that come at the same time must not both get past the nonce.
      const again = this.settledBefore(payment, delivery);
      if (again) return again;
      this.checkFit(payment);
      this.checkDomain(payment);
      const revert = this.chain.revertOf(payment.authorization);
      if (revert) throw new PaymentRefused(revert);
      return this.send(payment, delivery);
    });
  }

  /** A no without a look at the payment. */
  refuse(call: PaymentCall, { reason, status = 200, transaction }: Refusal): Answer {
    const { network, payer } = this.subject(call);
    const body =
      call.target === 'verify'
        ? { isValid: false, invalidReason: reason, payer }
        : { success: false, errorReason: reason, transaction: transaction ?? '', network, payer };
    return { status, body };
  }

  /** A read: nothing changes. */
  private verify(call: PaymentCall): Promise<Answer> {
    return this.refusing(call, async () => {
      const payment = await this.signed(call);
      this.checkFit(payment);
      const revert = this.chain.revertOf(payment.authorization);
      if (revert) throw new PaymentRefused(revert);
      this.checkDomain(payment);
      return { status: 200, body: { isValid: true, payer: payment.authorization.from } };
    });
  }

  private async refusing(call: PaymentCall, work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PaymentRefused)) throw error;
      return this.refuse(call, { reason: reasonFor(error.fault, call.x402Version), status: error.status });
    }
  }

  /** Network and payer of a request; the payer is unknown when it cannot be read. */
  private subject({ x402Version, payment }: Pick<PaymentCall, 'x402Version' | 'payment'>) {
    const payer = payment instanceof PaymentRefused ? undefined : payment.authorization.from;
    return { network: this.networkName(x402Version), payer };
  }

  private networkName(x402Version: X402Version): string {
    return x402Version === 1 ? this.chain.chain.shortName : this.chain.chain.caip2;
  }

  /** Scheme, network and asset are ours, and the payer has signed. */
  private async signed({ payment }: PaymentCall): Promise<PaymentRequest> {
    if (payment instanceof PaymentRefused) throw payment;
    const { scheme, network, requirements, authorization } = payment;
    if (scheme !== 'exact' || requirements.scheme !== 'exact') throw new PaymentRefused('scheme');
    if (requirements.network !== this.networkName(payment.x402Version)) throw new PaymentRefused('network');
    if (network !== requirements.network) throw new PaymentRefused('network_mismatch');
    if (!isAddressEqual(requirements.asset, this.chain.asset)) throw new PaymentRefused('asset');
    const signer = await this.signerOf(payment);
    if (signer?.toLowerCase() !== authorization.from.toLowerCase()) throw new PaymentRefused('signature');
    return payment;
  }

  /** Under the domain that the seller states. @returns null when it is no signature of a plain account */
  private signerOf({ authorization, signature, requirements }: PaymentRequest): Promise<Address | null> {
    const { name, version } = requirements.domain;
    if (!name || !version) throw new PaymentRefused('domain_missing');
    const key = [signature, name, version, ...Object.values<string | bigint>({ ...authorization })].join();
    const known = this.signers.get(key);
    if (known) return known;
    if (size(signature) !== 65 || hexToBigInt(slice(signature, 32, 64)) > MAX_S) return Promise.resolve(null);

    const domain = { name, version, chainId: this.chain.chain.chainId, verifyingContract: this.chain.asset };
    const signed = { domain, types: TRANSFER_TYPES, primaryType: 'TransferWithAuthorization' as const };
    const signer = recoverTypedDataAddress({ ...signed, message: authorization, signature }).catch(() => null);
    this.signers.set(key, signer);
    const [oldest] = this.signers.keys();
    if (this.signers.size > MAX_REMEMBERED) this.signers.delete(oldest!);
    return signer;
  }

  /** Recipient, time and amount of what was signed. */
  private checkFit({ authorization, requirements }: PaymentRequest): void {
    const { to, value, validAfter, validBefore } = authorization;
    const now = this.chain.nowSeconds();
    if (!isAddressEqual(to, requirements.payTo)) throw new PaymentRefused('recipient');
    if (validBefore < BigInt(now + MIN_SECONDS_LEFT)) throw new PaymentRefused('valid_before');
    if (validAfter > BigInt(now)) throw new PaymentRefused('valid_after');
    if (value !== requirements.amount) throw new PaymentRefused('value');
  }

  /** The token itself refuses a signature made under another domain than its own. */
  private checkDomain({ requirements }: PaymentRequest): void {
    const { name, version } = this.chain.chain.usdc;
    if (requirements.domain.name !== name) throw new PaymentRefused('domain_name');
    if (requirements.domain.version !== version) throw new PaymentRefused('domain_version');
  }

  private send(payment: PaymentRequest, { pendingForMs, reverts }: Delivery): Answer {
    const sending = { submittedBy: 'facilitator', includedAfterMs: pendingForMs, reverts } as const;
    const { hash } = this.chain.send([payment.authorization], sending);
    if (pendingForMs === undefined) return this.landed(payment, hash);
    if (payment.x402Version === 2) this.sent.set(payment.signature, { hash, lands: pendingForMs !== null });
    return this.pending(payment, hash);
  }

  /** The answer about the transaction already sent for this very payment, if there is one. */
  private settledBefore(payment: PaymentRequest, { pendingForMs }: Delivery): Answer | undefined {
    const sent = payment.x402Version === 2 ? this.sent.get(payment.signature) : undefined;
    if (!sent) return undefined;
    const { hash, lands } = sent;
    const isExpired = payment.authorization.validBefore <= BigInt(this.chain.nowSeconds());
    if (lands ? pendingForMs !== undefined : !isExpired) return this.pending(payment, hash);

    this.sent.delete(payment.signature);
    if (lands) {
      this.chain.include(hash);
      return this.landed(payment, hash);
    }
    this.chain.drop(hash);
    return undefined;
  }

  private landed(payment: PaymentRequest, hash: Hex): Answer {
    const { x402Version } = payment;
    if (!this.chain.transaction(hash)!.inclusion!.reverted) {
      const subject = this.subject({ x402Version, payment });
      return { status: 200, body: { success: true, transaction: hash, ...subject } };
    }
    const reason = reasonFor('reverted', x402Version);
    return this.refuse({ target: 'settle', x402Version, payment }, { reason, transaction: hash });
  }

  private pending(payment: PaymentRequest, hash: Hex): Answer {
    const call = { target: 'settle', x402Version: payment.x402Version, payment } as const;
    return this.refuse(call, { reason: 'settlement_pending', transaction: hash });
  }
}
