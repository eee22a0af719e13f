import { userInfo } from 'node:os';
import { IsOptional, MaxLength } from 'class-validator';
import { parseArgs } from 'node:util';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import { BadUsage } from '../bad-usage';
import { type CloseCommand, ClosePayment, type Closed } from './close-payment';
import { openModule } from '../open-module';
import { withoutSecrets, type Streams } from '../streams';
import { CloseRefused } from './close-refused';
import { PaymentClosingModule } from './payment-closing.module';

/** The command line. @returns the exit code: 0 closed, now or before, 1 refused, 2 not carried out */
export async function run(args: string[], env: Environment, streams: Streams): Promise<0 | 1 | 2> {
  const { out, err } = withoutSecrets(streams);
  try {
    const wanted = readCloseArguments(args);
    if (wanted === 'help') out(CLOSE_HELP);
    else out(textOf(await close({ ...wanted, operator: loadConfig(OperatorConfig, env).operator }, env)));
    return 0;
  } catch (error) {
    const hint = error instanceof BadUsage ? 'See npm run payment:close -- --help\n' : '';
    err(`${(error as Error).message}\n${hint}`);
    return error instanceof CloseRefused ? 1 : 2;
  }
}

async function close(command: CloseCommand, env: Environment): Promise<Closed> {
  const app = await openModule(PaymentClosingModule, env);
  try {
    return await app.get(ClosePayment).execute(command);
  } finally {
    await app.close();
  }
}

function textOf({ change, before, after }: Closed): string {
  const outcome =
    after.transactionHash && after.state === 'settled' ? `settled by ${after.transactionHash}` : after.state;
  if (change === 'unchanged') return `Done already: the payment is ${outcome}.\n`;
  return `Closed: the payment was ${before.state} and is ${outcome}.\n`;
}

export const CLOSE_HELP = `Closes a payment whose outcome the service cannot find out by itself (npm run reconcile lists them). It moves no money: it
writes down what happened, with everything that follows from it (spend of the wallet, rebate, event). Each use is kept in
the table operator_actions, refused ones too. Repeating it changes nothing.

  npm run payment:close -- <payer> <nonce> <hash|failed> [options]

  <payer> <nonce>      of the authorization, as reconcile prints them
  <hash>               the transaction that paid it; also for one that was taken for failed
  failed               nothing was paid and nothing will be: from 10 minutes after the authorization expired, or at once
                       when the chain shows that it was cancelled or spent on somebody else; of an authorization that is
                       valid for centuries, from 10 minutes after any other would have expired, when it is unused

Options
  --force "<where>"    close without evidence that is missing (the chain cannot be read, or does not know the transaction):
                       say where you have seen it. It never overrules what the chain shows, nor the 10 minutes.
  --help               this text

Environment, the same as for the worker
  DATABASE_URL         ledger of the gateway
  X402_PAY_TO          who is paid
  X402_RPC_URL         the chain, which is asked first; or the word none
  OPERATOR             who you are (user of the system)

A local run (npm start) writes them down while it runs:  set -a; . .data/agent-gateway.env; npm run payment:close -- …

Ends with 0 when it is closed, now or before, 1 when it was refused, 2 when the command could not be carried out.
`;

const HASH = /^0x[0-9a-f]{64}$/i;

/** @returns `help` when the text was asked for @throws BadUsage */
export function readCloseArguments(args: string[]): Omit<CloseCommand, 'operator'> | 'help' {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  const [payer = '', nonce = '', outcome = '', ...more] = positionals;
  if (!/^0x[0-9a-f]{40}$/i.test(payer)) throw new BadUsage('<payer> must be an address: 0x and 40 hex digits');
  if (!HASH.test(nonce)) throw new BadUsage('<nonce> must be 0x and 64 hex digits');
  if (outcome !== 'failed' && !HASH.test(outcome)) {
    throw new BadUsage('the third must be a transaction hash (0x and 64 hex digits) or the word failed');
  }
  if (more.length > 0) throw new BadUsage(`one payment at a time, not also: ${more.join(' ')}`);
  const force = values.force ?? null;
  if (force !== null && force.trim().length < 3) throw new BadUsage('--force must say where you have seen it');
  const transactionHash = outcome === 'failed' ? null : outcome.toLowerCase();
  return { payer: payer.toLowerCase(), nonce: nonce.toLowerCase(), transactionHash, force };
}

function parse(args: string[]) {
  try {
    const options = { force: { type: 'string' }, help: { type: 'boolean' } } as const;
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    // Node adds advice about its own syntax after the first sentence.
    throw new BadUsage((error as Error).message.split('. ')[0]);
  }
}

/** Who gives a command. */
class OperatorConfig {
  @IsOptional() @MaxLength(200) OPERATOR?: string;

  get operator(): string {
    return this.OPERATOR ?? systemUser();
  }
}

/** In a container the user may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
