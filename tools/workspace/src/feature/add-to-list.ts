/**
 * Adds a name to the first list that opens with these characters.
 * @returns undefined when there is no such list
 */
export function addToList(text: string, opening: string, name: string): string | undefined {
  const start = text.indexOf(opening);
  if (start === -1) return undefined;
  const from = start + opening.length;
  const end = text.indexOf(']', from);
  const items = text.slice(from, end).split(',');
  const names = [...items.map((item) => item.trim()).filter(Boolean), name];
  return text.slice(0, from) + names.join(', ') + text.slice(end);
}

/** Adds a folder as the highest layer of an app. @returns undefined when the app has no layers */
export function addLayer(config: string, app: string, folder: string): string | undefined {
  const layers = new RegExp(`\\n {2}'?${app}'?: \\[[^]*?(?=\\],\\n(?: {2}\\S|\\};))`).exec(config);
  if (!layers) return undefined;
  const end = layers.index + layers[0].length;
  return `${config.slice(0, end)}, '${folder}'${config.slice(end)}`;
}

/** Adds an import after the last one. */
export function addImport(text: string, name: string, from: string): string {
  const last = [...text.matchAll(/^(?:import .*|\} from '.*');\n/gm)].at(-1);
  const end = last ? last.index + last[0].length : 0;
  return `${text.slice(0, end)}import { ${name} } from '${from}';\n${text.slice(end)}`;
}
