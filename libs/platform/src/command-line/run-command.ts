import { userInfo } from 'node:os';
import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { IsOptional, MaxLength } from 'class-validator';
import { loadConfig, type Environment } from '../config/load-config';
import { redacted } from '../config/secrets';
import type { CommandLine } from './command-line';
import { BadUsage } from './options';

/** Where a command writes; tests read it. */
export interface Streams {
  out: (text: string) => void;
  err: (text: string) => void;
}

/** Of a command that was asked wrongly, and of one that failed. */
interface ExitCodes {
  badUsage: number;
  failed: number;
}

/**
 * Runs a command: gives its help, or does what is asked and turns every error into a sentence. Nothing that it prints
 * shows a secret setting.
 * @param work @returns the exit code, 0 when none
 * @returns the exit code
 */
export async function runCommand<Wanted>(
  command: Pick<CommandLine<never, Wanted>, 'help' | 'howToAskForHelp' | 'parse'>,
  args: readonly string[],
  streams: Streams,
  work: (wanted: Exclude<Wanted, 'help'>, streams: Streams) => Promise<number | void> | number | void,
  { badUsage, failed }: ExitCodes = { badUsage: 2, failed: 1 },
): Promise<number> {
  const out = (text: string): void => streams.out(redacted(text));
  const err = (text: string): void => streams.err(redacted(text));
  try {
    const wanted = command.parse(args);
    if (wanted !== 'help') return (await work(wanted as Exclude<Wanted, 'help'>, { out, err })) ?? 0;
    out(command.help);
    return 0;
  } catch (error) {
    const { message } = error as Error;
    if (!(error instanceof BadUsage)) {
      err(`${message}\n`);
      return failed;
    }
    err(`${message}\nSee ${command.howToAskForHelp}\n`);
    return badUsage;
  }
}

/**
 * Runs a command of this process, on its arguments and streams; the process ends with the code that it returns.
 * @param env of the process: programs alone read it
 */
export function startCommand(
  env: Environment,
  run: (args: string[], env: Environment, streams: Streams) => Promise<number>,
): void {
  const out = (text: string) => void process.stdout.write(text);
  const err = (text: string) => void process.stderr.write(text);
  void run(process.argv.slice(2), env, { out, err }).then((code) => {
    process.exitCode = code;
  });
}

/** The work of a command with the providers of a Nest module, which is closed afterwards. */
export async function withModule<Result>(
  module: Type | DynamicModule,
  work: (app: INestApplicationContext) => Promise<Result>,
): Promise<Result> {
  // Loaded when needed: most commands need none of it.
  const { NestFactory } = await import('@nestjs/core');
  // Errors end the command with a sentence; lines of a log would only hide it.
  const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

class OperatorConfig {
  @IsOptional() @MaxLength(200) OPERATOR?: string;
}

/**
 * Who gives a command: the variable OPERATOR, else the user of the system, which in a container may have no name.
 * @throws InvalidConfig
 */
export function operatorOf(env: Environment): string {
  const { OPERATOR } = loadConfig(OperatorConfig, env);
  if (OPERATOR !== undefined) return OPERATOR;
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
