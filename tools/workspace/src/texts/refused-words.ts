import type { Texts } from './workspace-texts';

const SECTION = /^## Not these words\n([^]*?)(?=^## |$(?![^]))/m;
const ROW = /^\| ([a-z, ]+?) *\| ([^|]+?) *\|$/gm;
/** The tokens of a source: comments whole, names; quoted text is skipped, it may be of a protocol. */
const TOKEN = /(\/\*[^]*?\*\/|\/\/.*)|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|([A-Za-z_$][\w$]*)/g;
const CODE = /^(apps|libs|tools|bench)\/.*\.(ts|mjs|js)$/;

/** Words that the glossary refuses, each with the one to take. */
export function refusedWords(glossary: string): Map<string, string> {
  const [, table = ''] = SECTION.exec(glossary) ?? [];
  const rows = [...table.matchAll(ROW)].filter(([, words]) => words !== 'not');
  return new Map(rows.flatMap(([, words, word]) => words!.split(', ').map((old) => [old, word!] as const)));
}

/** One line for each use of a refused word in a name or a comment of the code, or in the name of a file. */
export function usesOf(refused: ReadonlyMap<string, string>, texts: Texts): string[] {
  const complaint = (place: string, word: string) => `${place}: ${word}, better ${refused.get(word)}`;
  return [...texts].flatMap(([file, text]) => {
    if (!CODE.test(file)) return [];
    const inName = wordsOf(file).filter((word) => refused.has(word));
    const inText = [...text.matchAll(TOKEN)].flatMap((token) => {
      const found = wordsOf(token[1] ?? token[2] ?? '').filter((word) => refused.has(word));
      return found.map((word) => complaint(`${file}:${text.slice(0, token.index).split('\n').length}`, word));
    });
    return [...inName.map((word) => complaint(file, word)), ...inText];
  });
}

/** `TopUp` and `top-up` are both of the words top and up. */
function wordsOf(text: string): string[] {
  const parted = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  return parted.toLowerCase().match(/[a-z]+/g) ?? [];
}
