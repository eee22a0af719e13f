/** The file says something that this reader does not know, or says it in a way that it does not take. */
export class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood';

  constructor(line: number, sentence: string) {
    super(`Dockerfile line ${line}: ${sentence}`);
  }
}

const INSTRUCTIONS = [
  'ARG',
  'FROM',
  'ENV',
  'LABEL',
  'WORKDIR',
  'COPY',
  'RUN',
  'USER',
  'ENTRYPOINT',
  'CMD',
  'HEALTHCHECK',
];
/** What an instruction may have before its arguments. */
const FLAGS: Readonly<Record<string, readonly string[]>> = { COPY: ['from'], RUN: ['mount'] };

export interface Instruction {
  line: number;
  name: string;
  flags: Readonly<Record<string, string>>;
  /** The rest of it, as written, lines joined. */
  text: string;
}

export interface Stage {
  line: number;
  name: string;
  /** The image or stage below it, its variables replaced. */
  base: string;
  instructions: Instruction[];
}

export interface Dockerfile {
  /** Arguments before the first stage, with their values. */
  args: Readonly<Record<string, string>>;
  stages: Stage[];
}

/**
 * Reads the instructions that our Dockerfile uses, and no others.
 * @param given values of arguments, in place of their defaults
 * @throws NotUnderstood
 */
export function parseDockerfile(text: string, given: Readonly<Record<string, string>> = {}): Dockerfile {
  const args: Record<string, string> = {};
  const stages: Stage[] = [];
  for (const instruction of instructionsOf(text)) {
    const { line, name } = instruction;
    const stage = stages.at(-1);
    if (name === 'FROM') stages.push(stageOf(instruction, args));
    else if (stage) stage.instructions.push(instruction);
    else if (name === 'ARG') Object.assign(args, argumentOf(instruction, given, args));
    else throw new NotUnderstood(line, `${name} stands before the first FROM.`);
  }
  return { args, stages };
}

function instructionsOf(text: string): Instruction[] {
  const instructions: Instruction[] = [];
  let begun: { line: number; text: string } | undefined;
  for (const [index, written] of text.split('\n').entries()) {
    if (/^\s*(#|$)/.test(written)) {
      if (/^#\s*(syntax|escape|check)\s*=/i.test(written)) {
        throw new NotUnderstood(index + 1, 'it has a parser directive, which is not known here.');
      }
      continue;
    }
    const { line, text: before } = begun ?? { line: index + 1, text: '' };
    if (written.endsWith('\\')) begun = { line, text: `${before}${written.slice(0, -1)} ` };
    else {
      instructions.push(instructionOf(line, `${before}${written}`.trim()));
      begun = undefined;
    }
  }
  if (begun) throw new NotUnderstood(begun.line, 'its last line goes on.');
  return instructions;
}

function instructionOf(line: number, written: string): Instruction {
  const [name = '', ...words] = written.split(/\s+/);
  if (!INSTRUCTIONS.includes(name)) throw new NotUnderstood(line, `${name} is not known here.`);
  if (written.includes('<<')) throw new NotUnderstood(line, 'it has a here-document, which is not known here.');
  const flags: Record<string, string> = {};
  while (name !== 'HEALTHCHECK' && words[0]?.startsWith('--')) {
    const [, flag = '', value] = /^--([a-z-]+)(?:=(.*))?$/.exec(words.shift()!) ?? [];
    if (!FLAGS[name]?.includes(flag) || value === undefined || flag in flags) {
      throw new NotUnderstood(line, `${name} --${flag} is not known here.`);
    }
    flags[flag] = value;
  }
  return { line, name, flags, text: words.join(' ') };
}

function stageOf({ line, text }: Instruction, args: Readonly<Record<string, string>>): Stage {
  const [, image, name] = /^(\S+) AS ([a-z]+)$/.exec(text) ?? [];
  if (!image || !name) throw new NotUnderstood(line, 'FROM is written as FROM <image> AS <name>.');
  return { line, name, base: withVariables(image, args, line), instructions: [] };
}

/** The argument that `ARG` declares: as given, else its default, else that of the beginning of the file. */
export function argumentOf(
  { line, text }: Instruction,
  given: Readonly<Record<string, string>>,
  global: Readonly<Record<string, string>>,
): Record<string, string> {
  const [, name, fallback] = /^([A-Z][A-Z_]*)(?:=(\S+))?$/.exec(text) ?? [];
  if (!name) throw new NotUnderstood(line, 'ARG is written as ARG NAME or ARG NAME=value.');
  const value = given[name] ?? fallback ?? global[name];
  if (value === undefined) throw new NotUnderstood(line, `${name} has no value: give it with --build-arg ${name}=….`);
  return { [name]: value };
}

/** The pairs of `ENV` and `LABEL`: `name=value`, values with blanks in double quotes. */
export function pairsOf({ line, name, text }: Instruction, variables: Readonly<Record<string, string>>) {
  const pairs = [...text.matchAll(/([\w.]+)=("[^"]*"|[^\s"]+)(?:\s+|$)/g)];
  if (pairs.map(([pair]) => pair).join('') !== text) throw new NotUnderstood(line, `${name} is written as NAME=value.`);
  return Object.fromEntries(
    pairs.map(([, key, value]) => [key!, withVariables(value!.replace(/^"|"$/g, ''), variables, line)]),
  );
}

/** A command as a list of texts. Written as a sentence it would need a shell. */
export function listOf({ line, name, text }: Pick<Instruction, 'line' | 'name' | 'text'>): string[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list) && list.length > 0 && list.every((part) => typeof part === 'string')) return list;
  } catch {
    // Said below.
  }
  throw new NotUnderstood(line, `${name} needs a shell: write it as ["program", "argument"].`);
}

/** Replaces `${NAME}`; other forms are refused. */
export function withVariables(text: string, variables: Readonly<Record<string, string>>, line: number): string {
  const replaced = text.replace(/\$\{([A-Z_]+)\}/g, (_all, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new NotUnderstood(line, `\${${name}} is not set in this stage.`);
    return value;
  });
  if (/\$/.test(replaced)) throw new NotUnderstood(line, 'variables are written as ${NAME}.');
  return replaced;
}
