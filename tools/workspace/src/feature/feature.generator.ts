import { join } from 'node:path';
import { formatFiles, generateFiles, logger, names, type Tree } from '@nx/devkit';
import { addImport, addLayer, addToList } from './add-to-list';

const RULES = 'eslint.config.mjs';

export interface FeatureOptions {
  /** Singular, kebab-case. */
  name: string;
  /** Folder below `apps`. */
  app: string;
  /** Default: the name with an s. */
  plural?: string;
  skipFormat?: boolean;
}

/** Writes a feature with one table, two routes and their tests, and wires it into the module and database of its app. */
export async function featureGenerator(tree: Tree, { name, app, plural = `${name}s`, skipFormat }: FeatureOptions) {
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
    migrationClass,
    migrationFile,
    words: one.fileName.replaceAll('-', ' '),
    table: folder.replaceAll('-', '_'),
  });

  const module = `${many.className}Module`;
  wire(tree, `${source}/app.module.ts`, 'imports: [', module, `./${folder}/${folder}.module`);
  wire(tree, `${source}/database.ts`, 'ENTITIES = [', one.className, `./${folder}/${one.fileName}.entity`);
  wire(tree, `${source}/database.ts`, 'MIGRATIONS = [', migrationClass, `./migrations/${migrationFile}`);
  layer(tree, app, folder);
  if (!skipFormat) await formatFiles(tree);
}

/** A new feature imports what is below it, and nothing imports it yet. */
function layer(tree: Tree, app: string, folder: string): void {
  const config = addLayer(tree.read(RULES, 'utf8') ?? '', app, folder);
  if (config === undefined) logger.warn(`${RULES} has no layers of ${app}: add ${folder} by hand.`);
  else tree.write(RULES, config);
}

/** What cannot be done by itself is printed: a route that no module serves would be missed. */
function wire(tree: Tree, file: string, list: string, name: string, from: string): void {
  const text = tree.read(file, 'utf8') ?? '';
  const changed = addToList(text, list, name);
  if (changed === undefined) logger.warn(`${file} has no "${list}…]": add ${name} of ${from} by hand.`);
  else tree.write(file, addImport(changed, name, from));
}
