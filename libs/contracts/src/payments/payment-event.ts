import { IsInt, IsString, Matches, Max, Min } from 'class-validator';
import { compose } from '../schema/field.decorators';

/** Events of agent-gateway about payments and credits; the key is the wallet. */
export const PAYMENTS_STREAM = 'evenkeel.payments.v1';

/** Micro-USD as a safe JSON integer (D-135). */
export function Micros(): PropertyDecorator {
  return compose(IsInt(), Min(0), Max(Number.MAX_SAFE_INTEGER));
}

/** An address of a wallet or an asset, lower case (D-135). */
export function Address(): PropertyDecorator {
  return compose(IsString(), Matches(/^0x[0-9a-f]{40}$/));
}

/** Of a transaction that moved the money, lower case. */
export function TransactionHash(): PropertyDecorator {
  return compose(IsString(), Matches(/^0x[0-9a-f]{64}$/));
}

/** Of an authorization that pays: 32 bytes, lower case. */
export function Nonce(): PropertyDecorator {
  return compose(IsString(), Matches(/^0x[0-9a-f]{64}$/));
}
