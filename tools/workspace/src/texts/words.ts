import type { Texts } from './workspace-texts';

const SECTION = /^## Not these words\n([^]*?)(?=^## |$(?![^]))/m;
const ROW = /^\| ([a-z, ]+?) *\| ([^|]+?) *\|$/gm;
/** The tokens of a source: comments whole, names; quoted text is skipped, it may be of a protocol. */
const TOKEN = /(\/\*[^]*?\*\/|\/\/.*)|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|([A-Za-z_$][\w$]*)/g;
const CODE = /^(apps|libs|tools|bench)\/.*\.(ts|mjs|js)$/;

/**
 * Names that the platform may not use: paths, headers and things of one product. `Payment Required` is what HTTP itself calls
 * 402, and a promise settles.
 */
const PRODUCT = [
  ...['/agent/', '/v1/', '/dashboard', 'agent[ _-]?surface', 'agent[ _-]?gateway', 'x402', 'facilitator'],
  ...['(?<!all|promise )settle', 'payment(?![ _]required)', 'payer\\b', 'credit(?!ential)', 'rebate', 'receipt'],
  ...['wallet', 'habit', 'streak', 'stripe'],
];

/** Words that the glossary refuses, each with the one to take. */
export function refusedWords(glossary: string): Map<string, string> {
  const [, table = ''] = SECTION.exec(glossary) ?? [];
  const rows = [...table.matchAll(ROW)].filter(([, words]) => words !== 'not');
  return new Map(rows.flatMap(([, words, word]) => words!.split(', ').map((old) => [old, word!] as const)));
}

/** One line for each use of a refused word in a name or a comment of the code, or in the name of a file. */
export function usesOf(refused: ReadonlyMap<string, string>, texts: Texts): string[] {
  return [...texts].flatMap(([file, text]) => {
    const tokens = CODE.test(file) ? [...text.matchAll(TOKEN)] : [];
    const used = [
      ...wordsOf(CODE.test(file) ? file : ''),
      ...tokens.flatMap(([, comment, name]) => wordsOf(comment ?? name ?? '')),
    ];
    return used.filter((word) => refused.has(word)).map((word) => `${file}: ${word}, better ${refused.get(word)}`);
  });
}

/** `TopUp` and `top-up` are both of the words top and up. */
function wordsOf(text: string): string[] {
  const parted = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  return parted.toLowerCase().match(/[a-z]+/g) ?? [];
}

/** One line for each word of the product in the platform: it is stated in contracts or in the app, and passed in. */
export function productWordsIn(texts: Texts): string[] {
  const ofPlatform = [...texts].filter(([file]) =>
    /^libs\/platform\/src\/(?!.*\.(spec|fixture)\.ts$).*\.ts$/.test(file),
  );
  return ofPlatform.flatMap(([file, text]) =>
    [...text.matchAll(new RegExp(PRODUCT.join('|'), 'gi'))].map(([word]) => `${file}: ${word}`),
  );
}
