import { join } from 'node:path';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import { privateKeyToAddress } from 'viem/accounts';
import { AgentConfig } from './agent.config';
import { HELP, readArguments, type Command } from './arguments';
import { BadUsage } from './bad-usage';
import { endpointUrl, payFor } from './pay-for';
import { isPaid, refusalOf, reportOf } from './report';
import { requestBody } from './request-body';
import { savePurchase } from './save-purchase';
import { saidOfReceipt } from './signed-receipt';
import type { Streams } from './streams';
import { verifyReceipt } from './verify-receipt/verify-receipt';
import { walletKeyIn } from './wallet-key';

/** The command line. @returns the exit code, as the help of each command explains it */
export async function run(args: string[], env: Environment, streams: Streams): Promise<number> {
  const [name, ...rest] = args;
  try {
    if (name === 'verify-receipt') return await verifyReceipt(rest, streams);
    const command = readArguments(args);
    if (command !== 'help') return await call(command, env, streams);
    streams.out(HELP);
    return 0;
  } catch (error) {
    const { message } = error as Error;
    const own = name === 'verify-receipt' ? `${name} ` : '';
    const hint = error instanceof BadUsage ? `See npm run agent -- ${own}--help\n` : '';
    streams.err(`${message}\n${hint}`);
    return error instanceof BadUsage ? 2 : 1;
  }
}

async function call(command: Command, env: Environment, { out, err }: Streams): Promise<0 | 1> {
  const { operation, url, client } = command;
  const body = requestBody(command);
  const { DATA_DIR } = loadConfig(AgentConfig, env);
  const privateKey = command.walletKey ?? walletKeyIn(join(DATA_DIR, 'agent.key'));
  out(`Call         POST ${endpointUrl(url, operation)}\n`);
  out(`Wallet       ${privateKeyToAddress(privateKey)}, client ${client}\n`);

  const paidCall = await payFor({ url, operation, body, client, privateKey });
  out(reportOf(paidCall, await saidOfReceipt(paidCall)));
  if (command.saveIn !== undefined) savePurchase(command.saveIn, paidCall);
  if (isPaid(paidCall)) return 0;
  err(`${refusalOf(paidCall)}\n`);
  return 1;
}
