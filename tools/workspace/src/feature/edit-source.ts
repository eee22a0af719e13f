import { logger, type Tree } from '@nx/devkit';

const RULES = 'eslint.config.mjs';

/**
 * Adds a name to the first list that opens so.
 * @returns undefined when there is no such list
 */
export function addToList(text: string, opening: RegExp, name: string): string | undefined {
  const found = opening.exec(text);
  if (!found) return undefined;
  const from = found.index + found[0].length;
  const end = text.indexOf(']', from);
  const items = text.slice(from, end).split(',');
  const names = [...items.map((item) => item.trim()).filter(Boolean), name];
  return text.slice(0, from) + names.join(', ') + text.slice(end);
}

/** Adds an import after the others. */
export function addImport(text: string, name: string, from: string): string {
  const last = [...text.matchAll(/^import [^]*?'[^']+';\n/gm)].at(-1);
  const place = last ? last.index + last[0].length : 0;
  return `${text.slice(0, place)}import { ${name} } from '${from}';\n${text.slice(place)}`;
}

/** Adds a folder as the highest layer of an app: it imports what is below it, and nothing imports it yet. */
export function addLayer(tree: Tree, app: string, folder: string): void {
  const config = tree.read(RULES, 'utf8') ?? '';
  const layers = new RegExp(`\\n {2}'?${app}'?: \\[[^]*?(?=\\],\\n(?: {2}\\S|\\};))`).exec(config);
  if (!layers) return logger.warn(`${RULES} has no layers of ${app}: add ${folder} by hand.`);
  const end = layers.index + layers[0].length;
  const comma = layers[0].endsWith('[') ? '' : ', ';
  tree.write(RULES, `${config.slice(0, end)}${comma}'${folder}'${config.slice(end)}`);
}

/** Names each change that has to be made by hand, so that nobody looks for a route that no module serves. */
export function changeSource(tree: Tree, file: string, byHand: string, change: (text: string) => string | undefined) {
  const changed = change(tree.read(file, 'utf8') ?? '');
  if (changed === undefined) logger.warn(`${file} is not as expected: ${byHand} by hand.`);
  else tree.write(file, changed);
}
