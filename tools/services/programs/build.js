const { execFileSync } = require('node:child_process');
const { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { basename, dirname, join, relative, resolve } = require('node:path');
const { bundlePrograms } = require('./bundle');

const ROOT = join(__dirname, '../../..');
/** The programs of an app: these, and each `main` in a folder of its own. */
const PROGRAM = /^(main|worker|migrate)\.ts$|\/main\.ts$/;
/** Run once by the build, for what a start need not make again. */
const BUILD_STEP = /\.build\.ts$/;

/**
 * Puts the programs of an app, which tools/build.mjs has compiled, into one file with all that they load, and lets the engine
 * compile it: they start in half the time. `node build.js [apps/billing [<folder>]]`; default: the project of the current
 * folder, in this workspace, and nothing where that is no app.
 * @param target has the same projects, compiled, and node_modules: this workspace, or the folder of an image
 */
async function build(project, target) {
  const entries = programsOf(project);
  const folder = join(target, project, 'dist/programs');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await bundlePrograms({
    root: ROOT,
    entries,
    outfile: join(folder, 'programs.js'),
    packages: join(target, 'node_modules'),
    placeOf: (path) => fromBundle(relative(ROOT, path), project),
  });
  cpSync(join(__dirname, 'run.js'), join(folder, 'run.js'));
  for (const entry of entries) writeStart(join(target, compiled(entry)), entry, folder);
  for (const step of entries.filter((entry) => BUILD_STEP.test(entry))) run([join(target, compiled(step))], 'inherit');
  // It needs no settings, and would stay: its first run keeps what the engine has compiled.
  if (project !== 'apps/standalone') warmUp(join(target, project, 'dist/main.js'), project);
}

function programsOf(project) {
  return readdirSync(join(ROOT, project, 'src'), { recursive: true })
    .filter((name) => (PROGRAM.test(name) || BUILD_STEP.test(name)) && !name.startsWith('openapi/'))
    .map((name) => `${project}/src/${name}`)
    .sort();
}

/** `apps/billing/src/main.ts` is `apps/billing/dist/main.js`; a folder keeps its name. */
function compiled(path) {
  return path.replace('/src', '/dist').replace(/\.ts$/, '.js');
}

/** Where a source would be in its dist, seen from the one file, as an expression. */
function fromBundle(path, project) {
  const place = relative(join(project, 'dist/programs'), compiled(path));
  return `require('node:path').join(__dirname, ${JSON.stringify(place)})`;
}

/** In place of what was compiled from the source of the program. */
function writeStart(path, entry, folder) {
  const runner = JSON.stringify(`./${relative(dirname(path), folder)}/run.js`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `require(${runner}).runProgram(${JSON.stringify(entry)}, __filename);\n`);
  rmSync(`${path}.map`, { force: true });
}

/**
 * Without settings a service loads all of itself, says what is missing, and ends: what the engine has compiled is kept, for
 * each set of flags: those of the image, and with them what the project adds for its main.
 */
function warmUp(main, project) {
  const dockerfile = join(ROOT, 'docker/Dockerfile');
  const entrypoint = existsSync(dockerfile) && /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(dockerfile, 'utf8'));
  const ofImage = entrypoint ? JSON.parse(entrypoint[1]).slice(1) : [];
  const { nodeOptions = [] } = JSON.parse(readFileSync(join(ROOT, project, 'package.json'), 'utf8'));
  for (const options of [[], ofImage, [...ofImage, ...nodeOptions]]) {
    try {
      run([...options, main], 'ignore');
    } catch {
      // That is how it ends without settings.
    }
  }
}

function run(args, stdio) {
  execFileSync(process.execPath, args, { env: {}, stdio });
}

const [project = relative(ROOT, process.cwd()), target = ROOT] = process.argv.slice(2);
if (dirname(project) === 'apps') {
  build(project, resolve(target)).catch((error) => {
    process.stderr.write(`${basename(project)} could not be put into one file: ${error.message}\n`);
    process.exitCode = 1;
  });
}
