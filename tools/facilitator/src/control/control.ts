import type { Transfer } from '../chain/token';
import { Members } from '../http/members';
import type { Facilitator } from '../payments/facilitator';
import { readAuthorization } from '../payments/payment-request';
import type { Engine, X402Version } from '../payments/refusal';
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
  /** `older`: version 1 verify looks at neither nonce nor balance. */
  | { action: 'engine'; v1: Engine }
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

type Action = Exclude<ControlCommand, ModeCommand>['action'];

const BY_OTHERS = { submittedBy: 'third_party' } as const;

const ACTIONS: Record<Action, (command: Members, controlled: Controlled) => void> = {
  cancel: (command, { facilitator: { chain } }) => chain.cancel(command.address('payer'), command.hex('nonce', 32)),
  submit: (command, { facilitator: { chain } }) =>
    void chain.send([readAuthorization(command.object('authorization'))], BY_OTHERS),
  batch: (command, { facilitator: { chain } }) =>
    void chain.send((command.get('transfers') as unknown[]).map(readTransfer), BY_OTHERS),
  balance: (command, { facilitator: { chain } }) =>
    chain.setBalance(command.address('wallet'), command.uint256('value')),
  versions: (command, { facilitator }) =>
    void (facilitator.versions = new Set(command.get('versions') as X402Version[])),
  engine: (command, { facilitator }) => void (facilitator.engine = command.get('v1') as Engine),
  down: (command, { goDown }) => goDown(command.get('ms') as number),
};

/** Follows a command. @throws BadCommand saying which member is wrong */
export function control(body: unknown, { modes, ...controlled }: Controlled): void {
  const command = new Members(body, refuse);
  if (command.has('mode')) return modes.set(body as ModeCommand);
  const action = command.text('action');
  if (!Object.hasOwn(ACTIONS, action))
    throw new BadCommand(`action must be one of: ${Object.keys(ACTIONS).join(', ')}`);
  ACTIONS[action as Action](command, { modes, ...controlled });
}

function readTransfer(body: unknown): Transfer {
  const transfer = new Members(body, refuse);
  if (transfer.has('nonce')) return readAuthorization(transfer);
  return { from: transfer.address('from'), to: transfer.address('to'), value: transfer.uint256('value') };
}

function refuse(name: string): never {
  throw new BadCommand(name === '' ? 'a command is a JSON object' : `${name} is missing or has another form`);
}
