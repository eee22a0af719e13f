import {
  Command,
  InvalidArgumentError,
  operatorOf,
  Option,
  runCommand,
  withModule,
  type Streams,
} from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { OperatorActions } from '@evenkeel/platform/persistence';
import { Module } from '@nestjs/common';
import { LedgerModule } from '../../ledger/ledger.module';
import { ChainModule } from '../../recovery/chain.module';
import { operatorModule } from '../operator-module';
import { CloseAsFailed, CloseAsSettled, ClosePayment, CloseRefused } from './close-payment';
import type { CloseCommand, Closed } from './close-payment';

@Module({
  imports: [ChainModule, LedgerModule],
  providers: [CloseAsFailed, CloseAsSettled, ClosePayment, OperatorActions],
})
class PaymentClosingModule {}

type Wanted = Omit<CloseCommand, 'operator'>;

const TRANSFER = /^(0x[0-9a-f]{64})(?::(\d{1,9}))?$/i;

/** For what is compared in small letters. */
const matching = (form: RegExp, expected: string) => (typed: string) => {
  if (form.test(typed)) return typed.toLowerCase();
  throw new InvalidArgumentError(`It must be ${expected}.`);
};

const PAYMENT_CLOSE = new Command('npm run payment:close --')
  .description(
    `Closes a payment whose outcome the service cannot find out by itself (npm run reconcile lists them). It moves no money: it
writes down what happened, with everything that follows from it (spend of the wallet, rebate, event). Each use is stored in
the table operator_actions, refused ones too. Repeating it changes nothing.`,
  )
  .argument('<payer>', 'of the authorization', matching(/^0x[0-9a-f]{40}$/i, 'an address: 0x and 40 hex digits'))
  .argument('<nonce>', 'beside it, as reconcile prints both', matching(/^0x[0-9a-f]{64}$/i, '0x and 64 hex digits'))
  .argument(
    '<outcome>',
    `the hash of the transaction that paid it, also for one that was taken for failed; where it made several
transfers and the chain cannot be read: <hash>:<log index> of the one that paid this.
Or failed: nothing was paid and nothing will be: from 10 minutes after the authorization expired, or at once
when the chain shows that it was cancelled or spent on somebody else`,
    (typed) => {
      if (typed === 'failed') return { transactionHash: null, logIndex: null };
      const [, hash, index] = TRANSFER.exec(typed) ?? [];
      if (hash !== undefined)
        return { transactionHash: hash.toLowerCase(), logIndex: index === undefined ? null : Number(index) };
      throw new InvalidArgumentError('It must be a transaction hash (0x and 64 hex digits) or the word failed.');
    },
  )
  .addOption(
    new Option(
      '--force <where>',
      `close without evidence that is missing (the chain cannot be read, or does not know the transaction):
say where you have seen it. It never overrules what the chain shows, nor the 10 minutes.`,
    ).argParser((typed) => {
      if (/\S[^]+\S/.test(typed)) return typed;
      throw new InvalidArgumentError('It must say where you have seen it.');
    }),
  )
  .addHelpText(
    'after',
    `
Environment:
  DATABASE_URL  ledger of the gateway
  X402_PAY_TO   who is paid
  X402_RPC_URL  the chain, which is asked first; or the word none
  OPERATOR      who you are (user of the system)

The environment is the same as for the worker. A local run (npm start) writes it down while it runs:
  set -a; . .data/agent-gateway.env; npm run payment:close -- …

Ends with 0 when it is closed, now or before, 1 when it was refused, 2 when the command could not be carried out.`,
  );

/** The command line. @returns the exit code: 0 closed, now or before, 1 refused, 2 not carried out */
export function run(args: string[], env: Environment, streams: Streams): Promise<number> {
  const close = async (wanted: Wanted, { out, err }: Streams): Promise<0 | 1> => {
    try {
      const operator = operatorOf(env);
      const module = operatorModule(PaymentClosingModule, env);
      out(textOf(await withModule(module, (app) => app.get(ClosePayment).execute({ ...wanted, operator }))));
      return 0;
    } catch (error) {
      if (!(error instanceof CloseRefused)) throw error;
      err(`${error.message}\n`);
      return 1;
    }
  };
  return runCommand(
    PAYMENT_CLOSE,
    args,
    streams,
    ({ force = null, args: [payer, nonce, transaction] }, safe) => close({ payer, nonce, ...transaction, force }, safe),
    { badUsage: 2, failed: 2 },
  );
}

function textOf({ change, before, after }: Closed): string {
  const outcome =
    after.transactionHash && after.state === 'settled' ? `settled by ${after.transactionHash}` : after.state;
  if (change === 'unchanged') return `Done already: the payment is ${outcome}.\n`;
  return `Closed: the payment was ${before.state} and is ${outcome}.\n`;
}
