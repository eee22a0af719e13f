import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { plainToInstance, type ClassConstructor } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { plainTextIn } from './plain-text';
import { hideFromOutput, secretSettings, secretsIn } from './secrets';
import { settingsOf } from './settings-of';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a config class from the environment. A variable that is unset or empty keeps the initialiser of its property;
 * variables the class does not declare are ignored. `<NAME>_FILE` names a file that holds the value of `<NAME>`, as secrets
 * are mounted into containers. Production refuses a secret that contains `not-for-prod`, and a server at a public address without TLS. No output of this process shows what is
 * marked with `@Secret()` afterwards.
 * @param needs settings that the class can do without and this process cannot, each with the sentence that says so
 * @throws InvalidConfig naming every bad variable and what is expected
 */
export function loadConfig<Config extends object>(
  type: ClassConstructor<Config>,
  env: Environment,
  needs: Readonly<Record<string, string>> = {},
): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const { set, problems } = withFiles([type], given);
  hideFromOutput(secretSettings(type).flatMap((name) => secretsIn(set[name] ?? '')));
  const config = plainToInstance(type, set, { exposeDefaultValues: true, exposeUnsetFields: false });
  const errors = validateSync(config, { whitelist: true, forbidUnknownValues: true, skipUndefinedProperties: false });
  const needed = Object.keys(needs).filter((name) => set[name] === undefined);
  const sentences = [
    ...Object.values(problems),
    ...errors.filter(({ property }) => problems[property] === undefined).map(describe),
    ...placeholders(type, set),
    ...plainTextIn(type, set).refused,
    ...needed.map((name) => needs[name]!),
  ];
  const missing = errors.filter(({ value }) => value === undefined).map(({ property }) => property);
  if (sentences.length > 0) throw new InvalidConfig(sentences, [...missing, ...needed]);
  return config;
}

/** Marks a secret that anybody can read, such as those of the manifests for trials. */
const PLACEHOLDER = 'not-for-prod';

function placeholders(type: ClassConstructor<object>, set: Environment): string[] {
  if (set['NODE_ENV'] !== 'production') return [];
  return secretSettings(type)
    .filter((name) => set[name]?.includes(PLACEHOLDER))
    .map((name) => `${name} must not be a placeholder (${PLACEHOLDER}…) when NODE_ENV=production`);
}

/** Sentences about servers within the cluster that production reaches without TLS, unless `MESH_TLS` says who encrypts. */
export function plainTextWarnings(type: ClassConstructor<object>, env: Environment): string[] {
  const set = fromFiles([type], env);
  return set['MESH_TLS'] === 'on' ? [] : plainTextIn(type, set).within;
}

const FILE_SUFFIX = '_FILE';

/**
 * The environment with the text of each file in place of its name, for a process that gives several classes settings of its
 * own: theirs are used, also where a file names the same. What cannot be read stays, for `loadConfig` to refuse.
 */
export function fromFiles(types: readonly ClassConstructor<object>[], env: Environment): Environment {
  return withFiles(types, env).set;
}

/**
 * Each declared setting that only a file gives has the text of the file, without the end of its last line.
 * @returns problems: a sentence for each setting that its file did not give
 */
function withFiles(types: readonly ClassConstructor<object>[], given: Environment) {
  const names = new Set(types.flatMap(settingsOf).map(({ name }) => name));
  const set: Record<string, string | undefined> = { ...given };
  const problems: Record<string, string> = {};
  for (const [variable, file] of Object.entries(given)) {
    const name = variable.slice(0, -FILE_SUFFIX.length);
    if (!variable.endsWith(FILE_SUFFIX) || names.has(variable) || !names.has(name) || !file) continue;
    if (given[name]) problems[name] = `${name} and ${variable} are both set: keep one of them`;
    else {
      try {
        set[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
        delete set[variable];
      } catch {
        problems[name] = `${variable} must be a file that this process can read`;
      }
    }
  }
  return { set, problems };
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

  /**
   * @param problems one sentence per variable, beginning with its name
   * @param missing names of those that are not set
   */
  constructor(
    readonly problems: readonly string[],
    missing: readonly string[] = [],
  ) {
    const unset = missing.length === 0 ? ':' : `. Not set, and required: ${missing.join(', ')}.`;
    super(`The configuration is not valid${unset}\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
  }
}
