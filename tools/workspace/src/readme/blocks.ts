import type { Texts } from '../texts/workspace-texts';

/** Commands that a reader types: a fenced block of a page. */
export interface Block {
  file: string;
  /** Of its first command. */
  line: number;
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
