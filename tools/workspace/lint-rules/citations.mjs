import { existsSync, readdirSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../../', import.meta.url);
const ADRS = readdirSync(new URL('docs/adr/', ROOT)).map((file) => file.slice(0, 4));

/** Checks that citations in code exist; the test in tools/workspace reads Markdown and links too. */
const CITATIONS = [
  [/\bD-\d+\b/g, numbersOf('decisions', /\bD-\d+\b/g)],
  [/(?<![\w.-])P(?:[1-9]|1\d)(?![\w.-])/g, numbersOf('promises', /\bP\d+\b/g)],
  [/(?<![\w.-])S(?:[1-9]|1\d)(?![\w.-])/g, numbersOf('scoring', /\bS\d+\b/g)],
  [/\bADRs? \d{4}\b/g, (cited) => ADRS.includes(cited.slice(-4))],
  [/(?<![\w./-])docs\/(?!adr\/\d{4}\b(?!-))[\w./-]*\w/g, (cited) => existsSync(new URL(cited, ROOT))],
];

/** Refuses a citation of a decision, promise, property or document that the repository does not have. */
export const citations = {
  meta: { type: 'problem', schema: [], messages: { broken: '"{{cited}}" leads nowhere: see docs.' } },
  create(context) {
    const { text } = context.sourceCode;
    return {
      Program() {
        for (const [pattern, isThere] of CITATIONS) {
          for (const { 0: cited, index } of text.matchAll(pattern)) {
            if (isThere(cited)) continue;
            const [start, end] = [index, index + cited.length].map((at) => context.sourceCode.getLocFromIndex(at));
            context.report({ loc: { start, end }, messageId: 'broken', data: { cited } });
          }
        }
      },
    };
  },
};

function numbersOf(page, pattern) {
  const stated = new Set(readFileSync(new URL(`docs/${page}.md`, ROOT), 'utf8').match(pattern));
  return (cited) => stated.has(cited);
}
