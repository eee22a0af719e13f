import { isAddressEqual } from 'viem';
import type { Revert } from '../chain/token';
import type { TokenChain } from '../chain/token-chain';
import { type Answer, invalid, type Offer, refused, settled, type Subject, valid } from './payment-call';
import type { PaymentRequest } from './payment-request';
import { type Delivery, type Outcome, receive, type Received, Settlements } from './settlements';
import { type Engine, type Fault, PaymentRefused, reasonFor, type X402Version } from './refusal';
import { Signers, type TokenDomain } from './signers';

/** A transfer needs this long to reach a block. */
const MIN_SECONDS_LEFT = 6;

const FAULT_OF: Record<Revert, Fault> = {
  not_yet_valid: 'valid_after',
  expired: 'valid_before',
  nonce_used: 'nonce_used',
  insufficient_balance: 'balance',
  blacklisted: 'simulation',
};

/** Verifies and settles payments of scheme `exact` in one token, the way public facilitators do. */
export class Facilitator {
  /** The versions that are taken and listed. */
  versions: ReadonlySet<X402Version> = new Set([1, 2]);
  /** The engine that answers version 1. */
  engine: Engine = 'current';
  private readonly signers = new Signers();
  private readonly settlements: Settlements;

  constructor(
    private readonly chain: TokenChain,
    private readonly offer: Offer,
  ) {
    this.settlements = new Settlements(chain);
  }

  supported(): Answer {
    const kinds = [...this.versions].map((x402Version) => ({
      x402Version,
      scheme: 'exact',
      network: networkName(x402Version, this.offer.chain),
    }));
    return { status: 200, body: { kinds, extensions: [], signers: {} } };
  }

  receive(body: unknown): Received {
    return receive(body, this.versions);
  }

  /** A read: nothing changes. */
  async verify(received: Received): Promise<Answer> {
    try {
      const payment = await this.signed(received);
      checkFit(payment, this.chain.nowSeconds(), this.engine);
      if (!this.looksAtChain(payment)) return valid(this.subject(received));
      const revert = this.chain.revertOf(payment.authorization);
      if (revert) throw new PaymentRefused(FAULT_OF[revert]);
      checkDomain(payment, this.offer);
      return valid(this.subject(received));
    } catch (error) {
      return invalid(this.subject(received), this.refusal(error, received));
    }
  }

  /** Moves the money once: a second settle of the same authorization is refused without a hash. */
  async settle(received: Received, delivery: Delivery = {}): Promise<Answer> {
    try {
      const payment = await this.signed(received);
      // No await from here on: copies that come at the same time must not both get past the nonce.
      const again = this.settlements.again(payment, delivery);
      return this.settleAnswer(received, again ?? this.settleFirst(payment, delivery));
    } catch (error) {
      return refused(this.subject(received), this.refusal(error, received));
    }
  }

  /** Network and payer of a request, as far as it can be read. */
  subject({ x402Version, payment }: Received): Subject {
    const network = networkName(x402Version, this.offer.chain);
    return payment instanceof PaymentRefused ? { network } : { network, payer: payment.authorization.from };
  }

  private settleFirst(payment: PaymentRequest, delivery: Delivery): Outcome {
    checkFit(payment, this.chain.nowSeconds(), this.engine);
    checkDomain(payment, this.offer);
    const revert = this.chain.revertOf(payment.authorization);
    if (revert) throw new PaymentRefused(revert === 'blacklisted' ? 'sending' : FAULT_OF[revert]);
    return this.settlements.send(payment, delivery);
  }

  private settleAnswer(received: Received, { state, hash }: Outcome): Answer {
    const subject = this.subject(received);
    if (state === 'success') return settled(subject, hash);
    const reason =
      state === 'pending' ? 'settlement_pending' : reasonFor('reverted', received.x402Version, this.engine);
    return refused(subject, { reason, transaction: hash });
  }

  private async signed({ payment }: Received): Promise<PaymentRequest> {
    if (payment instanceof PaymentRefused) throw payment;
    checkTerms(payment, this.offer);
    const { authorization, signature } = payment;
    const domain = domainOf(payment, this.offer, this.engine);
    const signer = await this.signers.signerOf(authorization, signature, domain);
    if (signer?.toLowerCase() !== authorization.from.toLowerCase()) throw new PaymentRefused('signature');
    return payment;
  }

  private looksAtChain({ x402Version }: PaymentRequest): boolean {
    return x402Version === 2 || this.engine === 'current';
  }

  private refusal(error: unknown, { x402Version }: Received): { reason: string; status: number } {
    if (!(error instanceof PaymentRefused)) throw error;
    return { reason: reasonFor(error.fault, x402Version, this.engine), status: error.status };
  }
}

/** Scheme, network and asset are ours; each version has its own name for the network. */
function checkTerms({ x402Version, scheme, network, requirements }: PaymentRequest, { chain, asset }: Offer): void {
  if (scheme !== 'exact' || requirements.scheme !== 'exact') throw new PaymentRefused('scheme');
  if (requirements.network !== networkName(x402Version, chain)) throw new PaymentRefused('network');
  if (network !== requirements.network) throw new PaymentRefused('network_mismatch');
  if (!isAddressEqual(requirements.asset, asset.address)) throw new PaymentRefused('asset');
}

/** The domain the signature is checked under: the seller's word for it, as engines take it. */
function domainOf({ x402Version, requirements }: PaymentRequest, { chain, asset }: Offer, engine: Engine): TokenDomain {
  const { name, version } = requirements.domain;
  const knownByHeart = x402Version === 1 && engine === 'older';
  if (!knownByHeart && (!name || !version)) throw new PaymentRefused('domain_missing');
  return {
    name: name ?? asset.name,
    version: version ?? asset.version,
    chainId: chain.chainId,
    verifyingContract: asset.address,
  };
}

/** Recipient, time and amount of what was signed, in the order of the engines. */
function checkFit(
  { x402Version, authorization, requirements }: PaymentRequest,
  nowSeconds: number,
  engine: Engine,
): void {
  const { to, value, validAfter, validBefore } = authorization;
  if (!isAddressEqual(to, requirements.payTo)) throw new PaymentRefused('recipient');
  if (validBefore < BigInt(nowSeconds + MIN_SECONDS_LEFT)) throw new PaymentRefused('valid_before');
  if (validAfter > BigInt(nowSeconds)) throw new PaymentRefused('valid_after');
  const takesMore = x402Version === 1 && engine === 'older';
  if (takesMore ? value < requirements.amount : value !== requirements.amount) throw new PaymentRefused('value');
}

/** The token itself refuses a signature made under another domain than its own. */
function checkDomain({ requirements }: PaymentRequest, { asset }: Offer): void {
  const { name = asset.name, version = asset.version } = requirements.domain;
  if (name !== asset.name) throw new PaymentRefused('domain_name');
  if (version !== asset.version) throw new PaymentRefused('domain_version');
}

function networkName(x402Version: 1 | 2, { caip2, shortName }: Offer['chain']): string {
  return x402Version === 1 ? shortName : caip2;
}
