import type { Texts } from '../texts/workspace-texts';

/** Commands that a reader types: a fenced block of a page. */
export interface Block {
  file: string;
  /** Of its first command. */
  line: number;
  text: string;
}

export interface Command {
  /** Values of variables before it are left out. */
  program: string;
  args: string[];
  /** The line as it was written, without comments. */
  text: string;
}

/** Pages whose blocks a tool of their own runs, each in a folder of its own: tools/buyers. */
const RUN_ELSEWHERE = /^docs\/buy\//;
const BLOCK = /^```(?:sh|bash|shell|console)\n([^]*?)^```/gm;

/** Every block of shell commands of every page. */
export function shellBlocks(texts: Texts): Block[] {
  return [...texts]
    .filter(([file]) => file.endsWith('.md') && !RUN_ELSEWHERE.test(file))
    .flatMap(([file, text]) =>
      [...text.matchAll(BLOCK)].map((match) => ({
        file,
        line: text.slice(0, match.index).split('\n').length + 1,
        text: match[1]!,
      })),
    );
}

/** Words that begin a part of a command, and are none. */
const KEYWORDS = new Set(['if', 'then', 'else', 'fi', 'for', 'while', 'until', 'do', 'done', '!', '{', '}']);
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** Ends a command; a redirection ends none, but its file is no argument. */
const OPERATORS = ['&&', '||', '|', ';', '&', '\n'];

const FUNCTION = /^(\w+)\(\) *\{/gm;

/** The commands of a block, also those within others: `A=$(b | c) d` has b, c and d. Its own functions are none. */
export function commandsOf(text: string): Command[] {
  const own = new Set([...text.matchAll(FUNCTION)].map(([, name]) => name));
  return partsOf(text.replaceAll(FUNCTION, '{')).filter(({ program }) => !own.has(program));
}

function partsOf(text: string): Command[] {
  const commands: Command[] = [];
  let words: string[] = [];
  const end = (): void => {
    const own = words.slice(words.findIndex((word) => !KEYWORDS.has(word) && !ASSIGNMENT.test(word)));
    const [program, ...args] = words.every((word) => KEYWORDS.has(word) || ASSIGNMENT.test(word)) ? [] : own;
    if (program !== undefined) commands.push({ program, args, text: own.join(' ') });
    words = [];
  };
  for (const token of tokensOf(text)) {
    if (typeof token === 'string') words.push(token);
    else if (token.inner === undefined) end();
    else commands.push(...partsOf(token.inner));
  }
  end();
  return commands;
}

/** A word, the end of a command, or commands within a word. */
type Token = string | { inner?: string };

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let word: string | undefined;
  let skipNext = false;
  const endWord = (): void => {
    if (word !== undefined && !skipNext) tokens.push(word);
    if (word !== undefined) skipNext = false;
    word = undefined;
  };
  for (let at = 0; at < text.length;) {
    const char = text[at]!;
    const operator = OPERATORS.find((one) => text.startsWith(one, at));
    if (text.startsWith('\\\n', at)) at += 2;
    else if (char === '#' && word === undefined) at = lineEnd(text, at);
    else if (operator !== undefined) {
      endWord();
      tokens.push({});
      at += operator.length;
    } else if (/[<>]/.test(char) && !isPlaceholder(text, at)) {
      endWord();
      skipNext = true;
      at += text.startsWith('>>', at) ? 2 : 1;
    } else if (/\s/.test(char)) {
      endWord();
      at += 1;
    } else {
      const piece = pieceAt(text, at);
      tokens.push(...piece.within);
      word = (word ?? '') + piece.value;
      at += piece.length;
    }
  }
  endWord();
  return tokens;
}

/** `<payer>` stands for a value of the reader. */
function isPlaceholder(text: string, at: number): boolean {
  return text[at] === '<' ? /^<[a-z][^<>\n]*>/.test(text.slice(at)) : /<[a-z][^<>\n]*$/.test(text.slice(0, at));
}

/** A letter, something in quotes, or a substitution, and what is run within it. */
function pieceAt(text: string, at: number): { value: string; length: number; within: Token[] } {
  if (text.startsWith('$(', at)) {
    const length = closing(text, at + 1) - at + 1;
    return { value: '$(…)', length, within: [{ inner: text.slice(at + 2, at + length - 1) }] };
  }
  if (text[at] === "'") {
    const length = text.indexOf("'", at + 1) - at + 1;
    return { value: text.slice(at + 1, at + length - 1), length, within: [] };
  }
  if (text[at] === '"') return quoted(text, at);
  if (isPlaceholder(text, at) && text[at] === '<') {
    const length = text.indexOf('>', at) - at + 1;
    return { value: text.slice(at, at + length), length, within: [] };
  }
  return { value: text[at]!, length: 1, within: [] };
}

function quoted(text: string, start: number): { value: string; length: number; within: Token[] } {
  let value = '';
  const within: Token[] = [];
  let at = start + 1;
  while (at < text.length && text[at] !== '"') {
    if (text[at] === '\\') {
      value += text[at + 1] ?? '';
      at += 2;
      continue;
    }
    const isSubstitution = text.startsWith('$(', at);
    const piece = isSubstitution ? pieceAt(text, at) : { value: text[at]!, length: 1, within: [] };
    value += piece.value;
    within.push(...piece.within);
    at += piece.length;
  }
  return { value, length: at - start + 1, within };
}

/** Where the bracket that opens here is closed. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === "'") at = text.indexOf("'", at + 1);
    else if (text[at] === '(') depth += 1;
    else if (text[at] === ')' && --depth === 0) return at;
  }
  throw new Error(`A bracket is never closed: ${text.slice(open, open + 40)}`);
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
