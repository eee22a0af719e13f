import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { formatFiles, generateFiles, logger, names, type GeneratorCallback, type Tree } from '@nx/devkit';

const ROUTES = 'libs/contracts/src/routes.ts';
const RULES = 'eslint.config.mjs';

interface FeatureOptions {
  /** Singular, kebab-case. */
  name: string;
  /** Folder below `apps`. */
  app: string;
  /** Default: the name with an s. */
  plural?: string;
  skipFormat?: boolean;
}

/**
 * Writes a feature with one table, two routes and their tests, and wires it into the module, the database and the routes of
 * its app. Afterwards the OpenAPI document is written again.
 */
export async function featureGenerator(
  tree: Tree,
  { name, app, plural = `${name}s`, skipFormat }: FeatureOptions,
): Promise<GeneratorCallback> {
  const source = `apps/${app}/src`;
  const folder = names(plural).fileName;
  if (!tree.exists(`${source}/app.module.ts`)) throw new Error(`There is no app in ${source}.`);
  if (tree.exists(`${source}/${folder}`)) throw new Error(`${source}/${folder} is already there.`);

  const one = names(name);
  const many = names(plural);
  const createdAt = new Date();
  const migrationClass = `Create${many.className}${createdAt.getTime()}`;
  const migrationFile = `${createdAt.toISOString().replace(/\D/g, '').slice(0, 14)}-create-${folder}`;
  generateFiles(tree, join(__dirname, 'files'), source, {
    app,
    folder,
    file: one.fileName,
    one,
    many,
    title: names(app).className,
    migrationClass,
    migrationFile,
    words: one.fileName.replaceAll('-', ' '),
    table: folder.replaceAll('-', '_'),
  });

  const module = `${many.className}Module`;
  wire(tree, `${source}/app.module.ts`, /imports: \[/, module, `./${folder}/${folder}.module`);
  wire(tree, `${source}/database.ts`, /ENTITIES\b.*? = \[/, one.className, `./${folder}/${one.fileName}.entity`);
  wire(tree, `${source}/database.ts`, /MIGRATIONS\b.*? = \[/, migrationClass, `./migrations/${migrationFile}`);
  addLayer(tree, app, folder);
  route(tree, app, `/v1/${folder}`);
  if (!skipFormat) await formatFiles(tree);
  return () => writeOpenApi(tree.root, app);
}

function wire(tree: Tree, file: string, list: RegExp, name: string, from: string): void {
  changeSource(tree, file, `add ${name} of ${from} to ${list.source}`, (text) => {
    const changed = addToList(text, list, name);
    return changed && addImport(changed, name, from);
  });
}

/** The app that owns `/` answers every path that no other owns. */
function route(tree: Tree, app: string, path: string): void {
  changeSource(tree, ROUTES, `give ${path} to ${app}`, (text) => {
    const [opening, first] = new RegExp(`app: '${app}',\\s*prefixes: \\[(?:\\s*('/'))?`).exec(text) ?? [];
    if (opening === undefined || first !== undefined) return opening && text;
    return addToList(text, new RegExp(opening.replace('[', '\\[')), `'${path}'`);
  });
}

function writeOpenApi(root: string, app: string): void {
  execFileSync('sh', ['tools/run.sh', `apps/${app}/src/openapi/main.ts`], { cwd: root, stdio: 'inherit' });
}

/**
 * Adds a name to the first list that opens so.
 * @returns undefined when there is no such list
 */
function addToList(text: string, opening: RegExp, name: string): string | undefined {
  const found = opening.exec(text);
  if (!found) return undefined;
  const from = found.index + found[0].length;
  const end = text.indexOf(']', from);
  const items = text.slice(from, end).split(',');
  const names = [...items.map((item) => item.trim()).filter(Boolean), name];
  return text.slice(0, from) + names.join(', ') + text.slice(end);
}

/** Adds an import after the others. */
function addImport(text: string, name: string, from: string): string {
  const last = [...text.matchAll(/^import [^]*?'[^']+';\n/gm)].at(-1);
  const place = last ? last.index + last[0].length : 0;
  return `${text.slice(0, place)}import { ${name} } from '${from}';\n${text.slice(place)}`;
}

/** Adds a folder as the highest layer of an app: it imports what is below it, and nothing imports it yet. */
function addLayer(tree: Tree, app: string, folder: string): void {
  const config = tree.read(RULES, 'utf8') ?? '';
  const layers = new RegExp(`\\n {2}'?${app}'?: \\[[^]*?(?=\\],\\n(?: {2}\\S|\\};))`).exec(config);
  if (!layers) return logger.warn(`${RULES} has no layers of ${app}: add ${folder} by hand.`);
  const end = layers.index + layers[0].length;
  const comma = layers[0].endsWith('[') ? '' : ', ';
  tree.write(RULES, `${config.slice(0, end)}${comma}'${folder}'${config.slice(end)}`);
}

/** Names each change that has to be made by hand, so that nobody looks for a route that no module serves. */
function changeSource(tree: Tree, file: string, byHand: string, change: (text: string) => string | undefined) {
  const changed = change(tree.read(file, 'utf8') ?? '');
  if (changed === undefined) logger.warn(`${file} is not as expected: ${byHand} by hand.`);
  else tree.write(file, changed);
}
