import { loadConfig, type Environment } from '@evenkeel/platform/config';
import { BadUsage } from '../bad-usage';
import { openModule } from '../open-module';
import { withoutSecrets, type Streams } from '../streams';
import { CLOSE_HELP, readCloseArguments } from './close-arguments';
import { ClosePayment, type CloseCommand, type Closed } from './close-payment';
import { CloseRefused } from './close-refused';
import { OperatorConfig } from './operator.config';
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
