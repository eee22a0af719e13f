import type { Authorization, PlainTransfer } from '../chain/token';
import type { TokenChain } from '../chain/token-chain';
import { Members } from '../http/members';
import type { Facilitator } from '../payments/facilitator';
import { readAuthorization } from '../payments/payment-request';
import { BadCommand, type Target } from './control-command';
import type { ChainTime } from './chain-time';
import type { Loss, ModeCommand, ModeSwitch } from './mode-switch';

/** The parts that a command can change. */
export interface Controlled {
  chain: TokenChain;
  facilitator: Facilitator;
  modes: ModeSwitch;
  time: ChainTime;
  goDown: (ms: number) => void;
}

/** The longest wait a timer knows: 24 days. */
const MAX_MS = 2 ** 31 - 1;
const LOSSES: readonly Loss[] = ['reset', 'hang', '500'];

const ACTIONS = new Map<string, (command: Members, controlled: Controlled) => void>([
  ['cancel', (command, { chain }) => void chain.cancel(command.address('payer'), command.hex('nonce', 32))],
  [
    'submit',
    (command, { chain }) => {
      const transfer = readAuthorization(command.object('authorization'));
      chain.send(transfer, { submittedBy: 'third_party', includedAfterMs: 0 });
    },
  ],
  [
    'batch',
    (command, { chain }) => {
      const [first, ...more] = command.list('transfers').map(readTransfer);
      if (!first) throw new BadCommand('transfers must not be empty');
      chain.sendAll([first, ...more], { submittedBy: 'third_party', includedAfterMs: 0 });
    },
  ],
  ['balance', (command, { chain }) => chain.token.setBalance(command.address('wallet'), command.uint256('value'))],
  ['blacklist', (command, { chain }) => chain.token.block(command.address('wallet'))],
  [
    'versions',
    (command, { facilitator }) => {
      const versions = [command.get('versions')].flat();
      const known = versions.length > 0 && versions.every((version) => version === 1 || version === 2);
      if (!known) throw new BadCommand('versions must be [1], [2] or [1, 2]');
      facilitator.versions = new Set(versions);
    },
  ],
  ['engine', (command, { facilitator }) => void (facilitator.engine = command.oneOf('v1', ['current', 'older']))],
  ['advance', (command, { time }) => time.advance(command.integer('ms', 0, MAX_MS))],
  ['down', (command, { goDown }) => goDown(command.integer('ms', 1, MAX_MS))],
]);

/** Follows a command. @throws BadCommand saying which member is wrong */
export function control(body: unknown, controlled: Controlled): void {
  const command = new Members(body, (name) => {
    throw new BadCommand(name === '' ? 'a command is a JSON object' : `${name} is missing or has another form`);
  });
  if (command.has('mode')) return controlled.modes.set(readMode(command));
  const act = ACTIONS.get(command.text('action'));
  if (!act) throw new BadCommand(`action must be one of: ${[...ACTIONS.keys()].join(', ')}`);
  act(command, controlled);
}

function readTransfer(transfer: Members): Authorization | PlainTransfer {
  if (transfer.has('nonce')) return readAuthorization(transfer);
  return { from: transfer.address('from'), to: transfer.address('to'), value: transfer.uint256('value') };
}

/** Modes and targets by name are for the switch to know. */
function readMode(command: Members): ModeCommand {
  return {
    mode: command.text('mode'),
    on: command.get('on') as Target | Target[] | undefined,
    count: command.has('count') ? command.integer('count', 1) : undefined,
    payer: command.has('payer') ? command.address('payer') : undefined,
    reason: command.has('reason') ? command.text('reason') : undefined,
    status: command.has('status') ? command.integer('status', 200, 599) : undefined,
    ms: command.has('ms') ? command.integer('ms', 0, MAX_MS) : undefined,
    then: command.has('then') ? command.oneOf('then', LOSSES) : undefined,
  };
}
