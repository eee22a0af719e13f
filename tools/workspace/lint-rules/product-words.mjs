/**
 * Names that the platform may not use: paths, headers and things of one product. `Payment Required` is what HTTP itself calls
 * 402, and a promise settles.
 */
const WORDS = [
  ...['/agent/', '/v1/', '/dashboard'],
  ...['agent[ _-]?surface', 'agent[ _-]?gateway', 'x402', 'facilitator'],
  ...['(?<!all|promise )settle', 'payment(?![ _]required)', 'payer\\b', 'credit(?!ential)', 'rebate', 'receipt'],
  ...['wallet', 'habit', 'streak', 'stripe'],
];
const PATTERN = new RegExp(WORDS.join('|'), 'gi');

/** Refuses words of a product in the names, texts and comments of a file. */
export const productWords = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { word: '"{{word}}" is a word of the product: state it in contracts or in the app, and pass it in.' },
  },
  create(context) {
    const { text } = context.sourceCode;
    return {
      Program() {
        for (const { 0: word, index } of text.matchAll(PATTERN)) {
          const [start, end] = [index, index + word.length].map((at) => context.sourceCode.getLocFromIndex(at));
          context.report({ loc: { start, end }, messageId: 'word', data: { word } });
        }
      },
    };
  },
};
