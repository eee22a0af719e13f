import { type Address, type Hex, hexToBigInt, isAddressEqual, recoverTypedDataAddress, size, slice } from 'viem';
import { PaymentRefused, type PaymentRequest, readPaymentRequest, type X402Version } from './payment-request';
import { TRANSFER_TYPES } from './token';
import type { Delivery, TokenChain } from './token-chain';

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

interface Refusal {
  reason: string;
  status?: number;
  /** Hash of a transaction that was sent all the same. */
  transaction?: Hex;
}

/** What would revert the transfer, in words of the facilitators. */
const REVERTED = {
  valid_after: 'invalid_exact_evm_payload_authorization_valid_after',
  valid_before: 'invalid_exact_evm_payload_authorization_valid_before',
  nonce_used: 'invalid_exact_evm_nonce_already_used',
  balance: 'invalid_exact_evm_insufficient_balance',
} as const;
const PENDING = 'settlement_pending';

/** A transfer needs this long to reach a block. */
const MIN_SECONDS_LEFT = 6;

/** Half the order of secp256k1: the token refuses a greater `s`, so that each signature has one form. */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Verifies and settles payments of scheme `exact` in one token, the way public facilitators do. */
export class Facilitator {
  /** The versions that are taken and listed. */
  versions: ReadonlySet<X402Version> = new Set([1, 2]);
  /** Transactions that are not confirmed yet, by signature: how an identical version 2 request finds its own again. */
  private readonly pending = new Map<Hex, Hex>();

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
      if (!this.versions.has(x402Version)) throw new PaymentRefused('invalid_x402_version', 400);
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

  /** A read: nothing changes. */
  private verify(call: PaymentCall): Promise<Answer> {
    return this.refusing(call, async (payment) => {
      await this.checkSigned(payment);
      this.checkTransfer(payment);
      return { status: 200, body: { isValid: true, payer: payment.authorization.from } };
    });
  }

  /** Moves the money once: a second settle of the same authorization is refused without a hash. */
  settle(call: PaymentCall, delivery: Delivery = {}): Promise<Answer> {
    return this.refusing(call, async (payment) => {
      await this.checkSigned(payment);
      // No await from here on: copies that come at the same time must not both get past the nonce.
      const again = this.pendingAnswer(call, payment, delivery);
      if (again) return again;
      this.checkTransfer(payment);
      const { hash } = this.chain.send([payment.authorization], { ...delivery, submittedBy: 'facilitator' });
      if (delivery.includedAfterMs === undefined) return this.landed(call, hash);
      if (payment.x402Version === 2) this.pending.set(payment.signature, hash);
      return this.refuse(call, { reason: PENDING, transaction: hash });
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

  private async refusing(call: PaymentCall, work: (payment: PaymentRequest) => Promise<Answer>): Promise<Answer> {
    try {
      if (call.payment instanceof PaymentRefused) throw call.payment;
      return await work(call.payment);
    } catch (error) {
      if (!(error instanceof PaymentRefused)) throw error;
      return this.refuse(call, error);
    }
  }

  /** Network and payer of a request; the payer is unknown when it cannot be read. */
  private subject({ x402Version, payment }: PaymentCall) {
    const payer = payment instanceof PaymentRefused ? undefined : payment.authorization.from;
    return { network: this.networkName(x402Version), payer };
  }

  private networkName(x402Version: X402Version): string {
    return x402Version === 1 ? this.chain.chain.shortName : this.chain.chain.caip2;
  }

  /** Scheme, network and asset are ours, and the payer has signed. */
  private async checkSigned(payment: PaymentRequest): Promise<void> {
    const { scheme, network, requirements, authorization } = payment;
    const exact = scheme === 'exact' && requirements.scheme === 'exact';
    if (!exact) throw new PaymentRefused('invalid_exact_evm_scheme');
    const isOurs = requirements.network === this.networkName(payment.x402Version);
    if (!isOurs) throw new PaymentRefused('invalid_network', 400);
    if (network !== requirements.network) throw new PaymentRefused('invalid_exact_evm_network_mismatch');
    if (!isAddressEqual(requirements.asset, this.chain.asset)) throw new PaymentRefused('asset_not_deployed_contract');
    const signer = await this.signerOf(payment);
    const isPayer = signer !== null && isAddressEqual(signer, authorization.from);
    if (!isPayer) throw new PaymentRefused('invalid_exact_evm_signature');
  }

  /** Under the domain that the seller states. @returns null when it is no signature of a plain account */
  private async signerOf({ authorization, signature, requirements }: PaymentRequest): Promise<Address | null> {
    const { name, version } = requirements.domain;
    if (typeof name !== 'string' || typeof version !== 'string') {
      throw new PaymentRefused('invalid_exact_evm_missing_eip712_domain');
    }
    if (size(signature) !== 65 || hexToBigInt(slice(signature, 32, 64)) > MAX_S) return null;
    const domain = { name, version, chainId: this.chain.chain.chainId, verifyingContract: this.chain.asset };
    const signed = { domain, types: TRANSFER_TYPES, primaryType: 'TransferWithAuthorization' as const };
    return recoverTypedDataAddress({ ...signed, message: authorization, signature }).catch(() => null);
  }

  /** What was signed is what the seller wants, and the token would make the transfer now. */
  private checkTransfer({ authorization, requirements, x402Version }: PaymentRequest): void {
    const { to, value, validAfter, validBefore } = authorization;
    const now = this.chain.nowSeconds();
    if (!isAddressEqual(to, requirements.payTo)) throw new PaymentRefused('invalid_exact_evm_recipient_mismatch');
    if (validBefore < BigInt(now + MIN_SECONDS_LEFT)) throw new PaymentRefused(REVERTED.valid_before);
    if (validAfter > BigInt(now)) throw new PaymentRefused(REVERTED.valid_after);
    if (value !== requirements.amount) {
      const inVersionTwo = 'invalid_exact_evm_payload_authorization_value_mismatch';
      throw new PaymentRefused(x402Version === 1 ? 'invalid_exact_evm_authorization_value' : inVersionTwo);
    }
    const revert = this.chain.revertOf(authorization);
    if (revert) throw new PaymentRefused(REVERTED[revert]);
    // The token itself refuses a signature made under another domain than its own.
    const { name, version } = this.chain.chain.usdc;
    const { domain } = requirements;
    if (domain.name !== name) throw new PaymentRefused('invalid_exact_evm_token_name_mismatch');
    if (domain.version !== version) throw new PaymentRefused('invalid_exact_evm_token_version_mismatch');
  }

  /** The answer about the transaction already sent for this very payment, if there is one. */
  private pendingAnswer(call: PaymentCall, payment: PaymentRequest, delivery: Delivery): Answer | undefined {
    const hash = payment.x402Version === 2 ? this.pending.get(payment.signature) : undefined;
    if (hash === undefined) return undefined;
    const lands = this.chain.transaction(hash)!.dueMs !== null;
    const isExpired = payment.authorization.validBefore <= BigInt(this.chain.nowSeconds());
    if (lands ? delivery.includedAfterMs !== undefined : !isExpired) {
      return this.refuse(call, { reason: PENDING, transaction: hash });
    }
    this.pending.delete(payment.signature);
    if (!lands) return undefined;
    this.chain.include(hash);
    return this.landed(call, hash);
  }

  private landed(call: PaymentCall, hash: Hex): Answer {
    if (this.chain.transaction(hash)!.inclusion!.reverted) {
      return this.refuse(call, { reason: 'invalid_exact_evm_transaction_failed', transaction: hash });
    }
    return { status: 200, body: { success: true, transaction: hash, ...this.subject(call) } };
  }
}
