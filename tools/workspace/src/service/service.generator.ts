import { join } from 'node:path';
import { formatFiles, generateFiles, logger, names, type GeneratorCallback, type Tree } from '@nx/devkit';
import { addApp, addImport, addToList, changeSource, setScript } from '../editing/edit-source';

const ROUTES = 'libs/contracts/src/routes.ts';
const HOSTED = 'apps/standalone/src/hosted-services.ts';
/** Of the gateway, which has the lowest. */
const FIRST_PORT = 3_000;

export interface ServiceOptions {
  /** Folder below `apps`, kebab-case. */
  name: string;
  /** Default: one above those of all others. */
  port?: number;
  /** It sends events. */
  outbox?: boolean;
  /** It reads events. */
  inbox?: boolean;
  skipFormat?: boolean;
}

/** Writes a service without features, and makes it known to contracts, lint rules, scripts and the process that is all of the product. */
export async function serviceGenerator(
  tree: Tree,
  { name, port = nextPort(tree), outbox = false, inbox = false, skipFormat }: ServiceOptions,
): Promise<GeneratorCallback> {
  const folder = `apps/${name}`;
  if (tree.exists(folder)) throw new Error(`${folder} is already there.`);

  const { className, constantName, propertyName } = names(name);
  const createdAt = new Date();
  const migrationClass = `CreateMessaging${createdAt.getTime()}`;
  const migrationFile = `${createdAt.toISOString().replace(/\D/g, '').slice(0, 14)}-create-messaging`;
  const words = { name, className, constantName, propertyName, port, outbox, inbox, migrationClass, migrationFile };
  generateFiles(tree, join(__dirname, 'files'), folder, words);
  if (outbox || inbox) generateFiles(tree, join(__dirname, 'messaging'), `${folder}/src/migrations`, words);

  changeSource(tree, ROUTES, `add ${name}`, (text) => withRoutes(text, name));
  changeSource(tree, HOSTED, `add ${constantName}`, (text) => withService(text, constantName, name));
  changeSource(tree, 'eslint.config.mjs', `add the layers of ${name}`, (text) => addApp(text, name));
  setScript(tree, name, programsOf(name), 'reporting');
  if (!skipFormat) await formatFiles(tree);
  return () =>
    logger.info(`Next: npm install, which links @evenkeel/${name}, and
npx nx g @evenkeel/workspace:feature <name> --app ${name}
In apps/standalone/src/e2e/standalone.e2e.spec.ts the health of npm start now has the check ${name}.database.`);
}

function nextPort(tree: Tree): number {
  const ports = tree.children('apps').flatMap((app) => {
    const text = tree.read(`apps/${app}/src/${app}.config.ts`, 'utf8') ?? '';
    return [...text.matchAll(/override PORT = (\d+);/g)].map(([, port]) => Number(port));
  });
  return Math.max(FIRST_PORT, ...ports) + 1;
}

/** Some names are in the lists before their service is. */
function withRoutes(text: string, name: string): string | undefined {
  const named = text.includes(`'${name}'`) ? text : addToList(text, 'APP_NAMES = [', `'${name}'`);
  if (named === undefined || named.includes(`app: '${name}'`)) return named;
  return beforeEndOf(named, 'ROUTES: readonly RouteOwner[] = [', `  { app: '${name}', prefixes: [] },\n`);
}

function withService(text: string, constant: string, name: string): string | undefined {
  const listed = beforeEndOf(text, 'SERVICES: readonly HostedService[] = [', `  hosted(${constant}),\n`);
  return listed && addImport(listed, constant, `@evenkeel/${name}`);
}

/** @param opening of a list with an item a line */
function beforeEndOf(text: string, opening: string, line: string): string | undefined {
  const start = text.indexOf(opening);
  const end = start === -1 ? -1 : text.indexOf('\n];', start) + 1;
  return end > 0 ? text.slice(0, end) + line + text.slice(end) : undefined;
}

function programsOf(name: string): string {
  const run = (file: string) => `sh tools/run.sh apps/${name}/src/${file}.ts`;
  return `${run('migrate')} && exec concurrently --kill-others --names main,worker "${run('main')}" "${run('worker')}"`;
}
