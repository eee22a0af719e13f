import type { Address, Hex } from 'viem';
import type { Facilitator } from './facilitator';
import { BadCommand, type ModeCommand, type ModeSwitch } from './modes';
import { readAuthorization, type X402Version } from './payment-request';
import type { Transfer } from './token';

/** The body of `POST /control`, as JSON: a mode, or something that happens outside the calls. See README.md. */
export type ControlCommand =
  | ModeCommand
  /** The payer cancels an authorization on the chain. */
  | { action: 'cancel'; payer: string; nonce: string }
  /** A third party sends a signed transfer to the chain. */
  | { action: 'submit'; authorization: SubmittedTransfer }
  /** A third party sends many at once, in one transaction: authorizations, and transfers without one. */
  | { action: 'batch'; transfers: SubmittedTransfer[] }
  /** Atomic units, decimal. */
  | { action: 'balance'; wallet: string; value: string }
  /** Which x402 versions are listed and taken. */
  | { action: 'versions'; versions: X402Version[] }
  /** Breaks off all connections, and with them the calls that wait for an answer. */
  | { action: 'disconnect' };

/** As in the payment header; a transfer without an authorization has the first three members alone. */
interface SubmittedTransfer {
  from: string;
  to: string;
  /** Atomic units, decimal. */
  value: string;
  validAfter?: string;
  validBefore?: string;
  nonce?: string;
}

/** The parts that a command can change. */
interface Controlled {
  facilitator: Facilitator;
  modes: ModeSwitch;
  disconnect: () => void;
}

/** Follows a command. @throws BadCommand for an action or a mode that is not known */
export function control(body: unknown, { facilitator, modes, disconnect }: Controlled): void {
  const command = body as ControlCommand;
  const { chain } = facilitator;
  if ('mode' in command) return modes.set(command);
  switch (command.action) {
    case 'cancel':
      return chain.cancel(command.payer as Address, command.nonce as Hex);
    case 'submit':
      return void chain.send([transferOf(command.authorization)], { submittedBy: 'third_party' });
    case 'batch':
      return void chain.send(command.transfers.map(transferOf), { submittedBy: 'third_party' });
    case 'balance':
      return chain.setBalance(command.wallet as Address, BigInt(command.value));
    case 'versions':
      facilitator.versions = new Set(command.versions);
      return;
    case 'disconnect':
      return disconnect();
    default:
      throw new BadCommand('action must be one of: cancel, submit, batch, balance, versions, disconnect');
  }
}

function transferOf(transfer: SubmittedTransfer): Transfer {
  if (transfer.nonce !== undefined) return readAuthorization(transfer);
  const { from, to, value } = transfer;
  return { from: from as Address, to: to as Address, value: BigInt(value) };
}
