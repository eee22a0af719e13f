import { posix } from 'node:path';
import { workspaceTexts, type Texts } from './workspace-texts';

const DECISION = /\bD-\d+\b/g;
const PROMISE = /(?<![\w.-])P(?:[1-9]|1\d)(?![\w.-])/g;
/** A property of the scoring engine. */
const PROPERTY = /(?<![\w.-])S(?:[1-9]|1\d)(?![\w.-])/g;
const ADR = /\b(?:ADRs? |adr\/)(\d{4})\b/g;
const DOCUMENT = /(?<![\w./-])docs\/(?!adr\/\d{4}\b(?!-))[\w./-]*\w/g;
/** A page by its name alone, with a section or in a sentence. */
const PAGE = /(?<![\w./#-])([a-z][a-z-]*\.md)(?: section (\d+))?/g;
const LINK = /\]\(([^)\s#]*)(#[\w-]+)?\)/g;

/** Finds the citations of texts that lead nowhere. */
export class Citations {
  private readonly decisions: ReadonlySet<string>;
  private readonly promises: ReadonlySet<string>;
  private readonly properties: ReadonlySet<string>;
  private readonly files: ReadonlySet<string>;

  /** @param texts of the whole workspace, by path from its root @param others files and folders that are no text */
  constructor(
    private readonly texts: Texts,
    others: Iterable<string> = [],
  ) {
    const files = [...texts.keys(), ...others];
    this.files = new Set(files.flatMap((file) => [file, ...foldersOf(file)]));
    this.decisions = new Set(texts.get('docs/decisions.md')?.match(DECISION));
    this.promises = new Set(texts.get('docs/promises.md')?.match(PROMISE));
    this.properties = new Set(texts.get('docs/scoring.md')?.match(PROPERTY));
  }

  /** One line for each citation without a target: place and words. */
  broken(): string[] {
    return [...this.texts].flatMap(([file, text]) =>
      text
        .split('\n')
        .flatMap((line, index) => this.brokenIn(file, line).map((cited) => `${file}:${index + 1}: ${cited}`)),
    );
  }

  private brokenIn(file: string, line: string): string[] {
    return [
      ...all(line, DECISION).filter(([cited]) => !this.decisions.has(cited)),
      ...all(line, PROMISE).filter(([cited]) => !this.promises.has(cited)),
      ...all(line, PROPERTY).filter(([cited]) => !this.properties.has(cited)),
      ...all(line, ADR).filter(([, number]) => !this.has((one) => one.startsWith(`docs/adr/${number}-`))),
      ...all(line, DOCUMENT).filter(([cited]) => !this.files.has(cited)),
      ...all(line, PAGE).filter(([, page, section]) => !this.hasPage(file, page!, section)),
      ...(file.endsWith('.md') ? all(line, LINK).filter(([, to, anchor]) => !this.hasLink(file, to!, anchor)) : []),
    ].map(([cited]) => cited);
  }

  private has(holds: (file: string) => boolean): boolean {
    return [...this.files].some(holds);
  }

  private hasPage(from: string, page: string, section: string | undefined): boolean {
    const places = [posix.join(posix.dirname(from), page), `docs/${page}`, page];
    const found = places.find((place) => this.files.has(place));
    if (found === undefined) return false;
    return section === undefined || new RegExp(`^#+ ${section}\\b`, 'm').test(this.texts.get(found) ?? '');
  }

  private hasLink(from: string, to: string, anchor: string | undefined): boolean {
    if (/^[a-z]+:/.test(to)) return true;
    const target = to === '' ? from : posix.join(posix.dirname(from), to);
    if (!this.files.has(target.replace(/\/$/, ''))) return false;
    return anchor === undefined || anchorsOf(this.texts.get(target) ?? '').has(anchor);
  }
}

/** Samples of what is broken, for the test of this file. */
const SAMPLES = 'tools/workspace/src/texts/texts.unit.spec.ts';

/** One line for each citation, link and anchor of the workspace that leads nowhere. Reads files alone. */
export function brokenCitations(root: string): string[] {
  const { texts, others } = workspaceTexts(root);
  const written = new Map([...texts].filter(([file]) => file !== SAMPLES));
  return new Citations(written, [...others, SAMPLES]).broken();
}

function all(line: string, pattern: RegExp): RegExpExecArray[] {
  return [...line.matchAll(pattern)];
}

function foldersOf(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Of the headings, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!.toLowerCase());
  return new Set(headings.map((heading) => `#${heading.replace(/[^\w\- ]/g, '').replaceAll(' ', '-')}`));
}
