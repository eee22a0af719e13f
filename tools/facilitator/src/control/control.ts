import type { Address, Hex } from 'viem';
import type { Transfer } from '../chain/token';
import { Members } from '../http/members';
import type { Facilitator } from '../payments/facilitator';
import { readAuthorization } from '../payments/payment-request';
import type { X402Version } from '../payments/refusal';
import { BadCommand, type ModeCommand, type ModeSwitch } from './mode-switch';

/** The body of `POST /control`, as JSON: a mode, or something that happens outside the calls. See README.md. */
export type ControlCommand =
  | ModeCommand
  /** The payer cancels an authorization on the chain. */
  | { action: 'cancel'; payer: string; nonce: string }
  /** A third party sends a signed transfer to the chain. */
  | { action: 'submit'; authorization: SubmittedAuthorization }
  /** A third party sends many at once, in one transaction: authorizations, and transfers without one. */
  | { action: 'batch'; transfers: (SubmittedAuthorization | SubmittedTransfer)[] }
  /** Atomic units, decimal. */
  | { action: 'balance'; wallet: string; value: string }
  /** Which x402 versions are listed and taken. */
  | { action: 'versions'; versions: X402Version[] }
  /** Refuses connections for a while. */
  | { action: 'down'; ms: number };

interface SubmittedTransfer {
  from: string;
  to: string;
  /** Atomic units, decimal. */
  value: string;
}

/** As in the payment header. */
interface SubmittedAuthorization extends SubmittedTransfer {
  validAfter: string;
  validBefore: string;
  nonce: string;
}

/** The parts that a command can change. */
export interface Controlled {
  facilitator: Facilitator;
  modes: ModeSwitch;
  goDown: (ms: number) => void;
}

type ActionCommand = Exclude<ControlCommand, ModeCommand>;
type Actions = {
  [Name in ActionCommand['action']]: (command: Extract<ActionCommand, { action: Name }>, on: Controlled) => void;
};

const BY_OTHERS = { submittedBy: 'third_party' } as const;

const ACTIONS: Actions = {
  cancel: ({ payer, nonce }, { facilitator: { chain } }) => chain.cancel(payer as Address, nonce as Hex),
  submit: ({ authorization }, { facilitator: { chain } }) => void chain.send([transferOf(authorization)], BY_OTHERS),
  batch: ({ transfers }, { facilitator: { chain } }) => void chain.send(transfers.map(transferOf), BY_OTHERS),
  balance: ({ wallet, value }, { facilitator: { chain } }) => chain.setBalance(wallet as Address, BigInt(value)),
  versions: ({ versions }, { facilitator }) => void (facilitator.versions = new Set(versions)),
  down: ({ ms }, { goDown }) => goDown(ms),
};

/** Follows a command. @throws BadCommand for an action or a mode that is not known */
export function control(body: unknown, controlled: Controlled): void {
  const command = body as ControlCommand;
  if ('mode' in command) return controlled.modes.set(command);
  if (!Object.hasOwn(ACTIONS, command.action)) {
    throw new BadCommand(`action must be one of: ${Object.keys(ACTIONS).join(', ')}`);
  }
  const act = ACTIONS[command.action] as (command: ActionCommand, on: Controlled) => void;
  act(command, controlled);
}

function transferOf(transfer: SubmittedAuthorization | SubmittedTransfer): Transfer {
  if ('nonce' in transfer) return readAuthorization(new Members(transfer, refuse));
  const { from, to, value } = transfer;
  return { from: from as Address, to: to as Address, value: BigInt(value) };
}

function refuse(name: string): never {
  throw new BadCommand(`${name} is missing or has another form`);
}
