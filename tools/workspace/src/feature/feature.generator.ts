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
  const database = `${source}/database.ts`;
  add(tree, `${source}/app.module.ts`, /imports: \[[^\]]*/, module, `./${folder}/${folder}.module`);
  add(tree, database, /ENTITIES\b.*? = \[[^\]]*/, one.className, `./${folder}/${one.fileName}.entity`);
  add(tree, database, /MIGRATIONS\b.*? = \[[^\]]*/, migrationClass, `./migrations/${migrationFile}`);
  // The highest layer: it imports what is below it, and nothing imports it yet.
  add(tree, RULES, new RegExp(`\\n {2}'?${app}'?: \\[[^]*?(?=\\],\\n(?: {2}\\S|\\};))`), `'${folder}'`);
  // The app that owns `/` answers every path that no other owns.
  const ownsAll = new RegExp(`app: '${app}',\\s*prefixes: \\[\\s*'/'`).test(tree.read(ROUTES, 'utf8') ?? '');
  const prefixes = new RegExp(`app: '${app}',\\s*prefixes: \\[[^\\]]*`);
  if (!ownsAll) add(tree, ROUTES, prefixes, `'/v1/${folder}'`);
  if (!skipFormat) await formatFiles(tree);
  const program = ['tools/run.sh', `apps/${app}/src/openapi/main.ts`];
  return () => void execFileSync('sh', program, { cwd: tree.root, stdio: 'inherit' });
}

/**
 * Adds a name at the end of a list, and its import after the others. What has to be added by hand is said, so that nobody
 * looks for a route that no module serves.
 * @param list up to what is before its closing bracket
 */
function add(tree: Tree, file: string, list: RegExp, name: string, from?: string): void {
  const text = tree.read(file, 'utf8') ?? '';
  const found = list.exec(text);
  if (!found) return logger.warn(`${file} is not as expected: add ${name} to ${list.source} by hand.`);
  const end = found.index + found[0].length;
  const comma = /[[,]\s*$/.test(found[0]) ? '' : ', ';
  const last = [...text.matchAll(/^import [^]*?'[^']+';\n/gm)].at(-1);
  const place = from !== undefined && last ? last.index + last[0].length : 0;
  const line = from === undefined ? '' : `import { ${name} } from '${from}';\n`;
  tree.write(file, `${text.slice(0, place)}${line}${text.slice(place, end)}${comma}${name}${text.slice(end)}`);
}
