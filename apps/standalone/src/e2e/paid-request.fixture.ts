import { randomBytes } from 'node:crypto';
import { CHAINS, PAID_ENDPOINTS, type Operation } from '@evenkeel/contracts';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { PAY_TO } from './gateway-programs.fixture';

const BASE = CHAINS[0]!;
const VALID_FOR_SECONDS = 300;

const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** A request with its payment, as it can be sent any number of times. */
export interface PaidRequest {
  path: string;
  body: string;
  payer: string;
  nonce: string;
  headers: Record<string, string>;
}

export interface Wish {
  operation?: Operation;
  wallet?: PrivateKeyAccount;
  /** Signed for another chain, a payment is well formed and never verifies. */
  chainId?: number;
}

export function aWallet(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}

/** The example request of an operation with a payment of its price, from a new wallet. */
export async function aPaidRequest({
  operation = 'analyze',
  wallet = aWallet(),
  chainId,
}: Wish = {}): Promise<PaidRequest> {
  const endpoint = PAID_ENDPOINTS.find((candidate) => candidate.operation === operation)!;
  const authorization = {
    from: wallet.address,
    to: PAY_TO,
    value: String(endpoint.priceMicros),
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1_000) + VALID_FOR_SECONDS),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  };
  const signature = await sign(wallet, authorization, chainId);
  const payment = { x402Version: 1, scheme: 'exact', network: 'base', payload: { signature, authorization } };
  return {
    path: endpoint.path,
    body: JSON.stringify(endpoint.exampleInput),
    payer: wallet.address.toLowerCase(),
    nonce: authorization.nonce,
    headers: {
      'content-type': 'application/json',
      'x-payment': Buffer.from(JSON.stringify(payment)).toString('base64'),
    },
  };
}

async function sign(
  wallet: PrivateKeyAccount,
  authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>,
  chainId = BASE.chainId,
): Promise<Hex> {
  const { address, name, version } = BASE.usdc;
  return wallet.signTypedData({
    domain: { name, version, chainId, verifyingContract: address as Hex },
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: authorization.from as Hex,
      to: authorization.to as Hex,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce as Hex,
    },
  });
}
