import { userInfo } from 'node:os';
import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { IsOptional, MaxLength } from 'class-validator';
import { CommanderError } from 'commander';
import { loadConfig, type Environment } from '../config/load-config';
import { redacted } from '../config/secrets';

/** Where a command writes; tests read it. */
export interface Streams {
  out: (text: string) => void;
  err: (text: string) => void;
}

/** Wider than any line that a description has. */
const HELP_WIDTH = 140;

/** Of a command that was asked wrongly, and of one that failed. */
interface ExitCodes {
  badUsage: number;
  failed: number;
}

/** What was typed: the options by their names, and the arguments. */
export type Typed<Args extends unknown[], Options> = Options & { args: Args };

/** The same of a command. */
export type TypedFor<Line> = Line extends Command<infer Args, infer Options> ? Typed<Args, Options> : never;

/**
 * Runs a command: gives its help, or does what is asked and turns every error into a sentence. Nothing that it prints
 * shows a secret setting.
 * @param command named as it is typed before its options: `npm run seed --`
 * @param work @returns the exit code, 0 when none @throws InvalidArgumentError when it finds that it was asked wrongly
 * @returns the exit code
 */
export async function runCommand<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  args: readonly string[],
  streams: Streams,
  work: (typed: Typed<Args, Options>, streams: Streams) => Promise<number | void> | number | void,
  { badUsage, failed }: ExitCodes = { badUsage: 2, failed: 1 },
): Promise<number> {
  const out = (text: string): void => streams.out(redacted(text));
  const err = (text: string): void => streams.err(redacted(text));
  try {
    // Its errors are printed below, as those of the work are.
    command.exitOverride().configureOutput({ writeOut: out, outputError: () => undefined });
    command.configureHelp({ helpWidth: HELP_WIDTH }).parse(args, { from: 'user' });
    return (await work({ ...command.opts(), args: command.processedArgs }, { out, err })) ?? 0;
  } catch (error) {
    const { message } = error as Error;
    if (!(error instanceof CommanderError)) {
      err(`${message}\n`);
      return failed;
    }
    // The help was asked for, and is printed.
    if (error.exitCode === 0) return 0;
    err(`${message}\nSee ${command.name()} --help\n`);
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
  // Who reads it has seen enough, as `head` has: what was begun is finished, and the exit code says how.
  const goOn = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
  };
  process.stdout.on('error', goOn);
  process.stderr.on('error', goOn);
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
