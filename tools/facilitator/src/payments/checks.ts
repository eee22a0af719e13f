import { isAddressEqual } from 'viem';
import type { Offer } from './offer';
import type { PaymentRequest } from './payment-request';
import { PaymentRefused, type Engine } from './refusal';
import type { TokenDomain } from './signers';

/** A transfer needs this long to reach a block. */
const MIN_SECONDS_LEFT = 6;

/** Scheme, network and asset are ours; each wording has its own name for the network. */
export function checkTerms({ wording, scheme, network, requirements }: PaymentRequest, { chain, asset }: Offer): void {
  if (scheme !== 'exact' || requirements.scheme !== 'exact') throw new PaymentRefused('scheme');
  if (requirements.network !== networkName(wording, chain)) throw new PaymentRefused('network');
  if (network !== requirements.network) throw new PaymentRefused('network_mismatch');
  if (!isAddressEqual(requirements.asset, asset.address)) throw new PaymentRefused('asset');
}

/** The domain the signature is checked under: the seller's word for it, as engines take it. */
export function domainOf(
  { wording, requirements }: PaymentRequest,
  { chain, asset }: Offer,
  engine: Engine,
): TokenDomain {
  const { name, version } = requirements.domain;
  const knownByHeart = wording === 1 && engine === 'older';
  if (!knownByHeart && (!name || !version)) throw new PaymentRefused('domain_missing');
  return {
    name: name ?? asset.name,
    version: version ?? asset.version,
    chainId: chain.chainId,
    verifyingContract: asset.address,
  };
}

/** Recipient, time and amount of what was signed, in the order of the engines. */
export function checkFit(
  { wording, authorization, requirements }: PaymentRequest,
  nowSeconds: number,
  engine: Engine,
): void {
  const { to, value, validAfter, validBefore } = authorization;
  if (!isAddressEqual(to, requirements.payTo)) throw new PaymentRefused('recipient');
  if (validBefore < BigInt(nowSeconds + MIN_SECONDS_LEFT)) throw new PaymentRefused('valid_before');
  if (validAfter > BigInt(nowSeconds)) throw new PaymentRefused('valid_after');
  const takesMore = wording === 1 && engine === 'older';
  if (takesMore ? value < requirements.amount : value !== requirements.amount) throw new PaymentRefused('value');
}

/** The token itself refuses a signature made under another domain than its own. */
export function checkDomain({ requirements }: PaymentRequest, { asset }: Offer): void {
  const { name = asset.name, version = asset.version } = requirements.domain;
  if (name !== asset.name) throw new PaymentRefused('domain_name');
  if (version !== asset.version) throw new PaymentRefused('domain_version');
}

export function networkName(wording: 1 | 2, { caip2, shortName }: Offer['chain']): string {
  return wording === 1 ? shortName : caip2;
}
