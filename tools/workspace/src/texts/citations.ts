import { posix } from 'node:path';
import type { WorkspaceTexts } from './workspace-texts';

const DECISION = /\bD-\d+\b/g;
const PROMISE = /(?<![\w.-])P(?:[1-9]|1\d)(?![\w.-])/g;
/** A property of the scoring engine. */
const PROPERTY = /(?<![\w.-])S(?:[1-9]|1\d)(?![\w.-])/g;
const ADR = /\b(?:ADRs? |adr\/)(\d{4})\b/g;
const DOCUMENT = /(?<![\w./-])docs\/(?!adr\/\d{4}\b(?!-))[\w./-]*\w/g;
/** A page by its name alone, with a section or in a sentence. */
const PAGE = /(?<![\w./#-])([a-z][a-z-]*\.md)(?: section (\d+))?/g;
const LINK = /\]\(([^)\s#]*)(#[\w-]+)?\)/g;

/** One line for each citation, link and anchor of the workspace that leads nowhere: place and words. */
export function brokenCitations({ texts, others }: WorkspaceTexts): string[] {
  const files = new Set([...texts.keys(), ...others].flatMap((file) => [file, ...foldersOf(file)]));
  const defined = new Set([
    ...(texts.get('docs/decisions.md')?.match(DECISION) ?? []),
    ...(texts.get('docs/promises.md')?.match(PROMISE) ?? []),
    ...(texts.get('docs/scoring.md')?.match(PROPERTY) ?? []),
    ...[...files].flatMap((file) => /^docs\/adr\/(\d{4})-/.exec(file)?.[1] ?? []),
  ]);
  const all = (line: string, pattern: RegExp) => [...line.matchAll(pattern)];
  const brokenIn = (file: string, line: string): string[] =>
    [
      ...[DECISION, PROMISE, PROPERTY].flatMap((kind) => all(line, kind)).filter(([cited]) => !defined.has(cited)),
      ...all(line, ADR).filter(([, number]) => !defined.has(number!)),
      ...all(line, DOCUMENT).filter(([cited]) => !files.has(cited)),
      ...all(line, PAGE).filter(([, page, section]) => !hasPage(file, page!, section)),
      ...(file.endsWith('.md') ? all(line, LINK).filter(([, to, anchor]) => !hasLink(file, to!, anchor)) : []),
    ].map(([cited]) => cited);

  function hasPage(from: string, page: string, section: string | undefined): boolean {
    const places = [posix.join(posix.dirname(from), page), `docs/${page}`, page];
    const found = places.find((place) => files.has(place));
    if (found === undefined) return false;
    return section === undefined || new RegExp(`^#+ ${section}\\b`, 'm').test(texts.get(found) ?? '');
  }

  function hasLink(from: string, to: string, anchor: string | undefined): boolean {
    if (/^[a-z]+:/.test(to)) return true;
    const target = to === '' ? from : posix.join(posix.dirname(from), to);
    if (!files.has(target.replace(/\/$/, ''))) return false;
    return anchor === undefined || anchorsOf(texts.get(target) ?? '').has(anchor);
  }

  return [...texts].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, index) => brokenIn(file, line).map((cited) => `${file}:${index + 1}: ${cited}`)),
  );
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
