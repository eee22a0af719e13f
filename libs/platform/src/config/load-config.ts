import 'reflect-metadata';
import { plainToInstance, type ClassConstructor } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { hideFromOutput, secretSettings, secretsIn } from './secrets';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a config class from the environment. A variable that is unset or empty keeps the initialiser of its property;
 * variables the class does not declare are ignored. No output of this process shows what is
 * marked with `@Secret()` afterwards.
 * @throws InvalidConfig naming every bad variable and what is expected
 */
export function loadConfig<Config extends object>(type: ClassConstructor<Config>, env: Environment): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  hideFromOutput(secretSettings(type).flatMap((name) => secretsIn(set[name] ?? '')));
  const config = plainToInstance(type, set, { exposeDefaultValues: true, exposeUnsetFields: false });
  const errors = validateSync(config, { whitelist: true, forbidUnknownValues: true, skipUndefinedProperties: false });
  if (errors.length > 0) throw new InvalidConfig(errors.map(describe));
  return config;
}

/** class-validator's sentences name the property and the rule; none of the rules in use repeats the value. */
function describe({ property, constraints = {} }: ValidationError): string {
  return Object.values(constraints)
    .map((sentence) => (sentence.startsWith(property) ? sentence : `${property}: ${sentence}`))
    .join('; ');
}

/** The refusal to start. The message names each bad variable and what is expected of it, never a value. */
export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig';

  /** @param problems one sentence per variable, beginning with its name */
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
  }
}
