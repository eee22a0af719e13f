const { execFileSync } = require('node:child_process');
const { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { basename, dirname, join, relative, resolve } = require('node:path');
const { bundlePrograms } = require('./bundle');

const ROOT = join(__dirname, '../../..');
const HELP = `Puts the programs of an app, which tools/build.mjs has compiled, into one file with all that they load, and lets the engine
compile it: they start in half the time. Projects that are no app are left as they are.

Usage
  node tools/services/programs/build.js [apps/billing [<folder>]]    default: the project of the current folder, in this workspace

<folder> has the same projects, compiled, and node_modules: that of an image.
`;

/** The programs of an app: these, and each `main` in a folder of its own. */
const PROGRAM = /^(main|worker|migrate)\.ts$|\/main\.ts$/;
/** Run once by the build, for what a start need not make again. */
const BUILD_STEP = /\.build\.ts$/;

async function build(project, target) {
  const entries = programsOf(project);
  const folder = join(target, project, 'dist/programs');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'programs.js');
  await bundlePrograms({
    root: ROOT,
    entries,
    outfile: file,
    packages: join(target, 'node_modules'),
    placeOf: (path) => fromBundle(relative(ROOT, path), project),
  });
  cpSync(join(__dirname, 'run.js'), join(folder, 'run.js'));
  for (const entry of entries) writeStart(join(target, compiled(entry)), entry, folder);
  for (const step of entries.filter((entry) => BUILD_STEP.test(entry))) run(join(target, compiled(step)), []);
  warmUp(join(target, project, 'dist', 'main.js'), project);
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
  const beside = relative(dirname(path), folder);
  const place = JSON.stringify(beside.startsWith('.') ? beside : `./${beside}`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    `const { join } = require('node:path');
const { runProgram } = require(${place} + '/run.js');
runProgram(join(__dirname, ${place}, 'programs.js'), ${JSON.stringify(entry)}, __filename);
`,
  );
  rmSync(`${path}.map`, { force: true });
}

/** Without settings a service loads all of itself, says what is missing, and ends: what it has compiled is kept. */
function warmUp(main, project) {
  // It needs no settings, and would stay: its first run keeps what it has compiled.
  if (project === 'apps/standalone') return;
  for (const options of [[], ...productionOptions(project)]) {
    try {
      run(main, options, 'ignore');
    } catch {
      // That is how it ends without settings.
    }
  }
}

function run(program, options, stdio = 'inherit') {
  execFileSync(process.execPath, [...options, program], { env: {}, stdio });
}

/** The engine keeps what it has compiled for each set of flags: those of the image, and what the project adds for its main. */
function productionOptions(project) {
  const dockerfile = join(ROOT, 'docker/Dockerfile');
  if (!existsSync(dockerfile)) return [];
  const [, line = '[]'] = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(dockerfile, 'utf8')) ?? [];
  const { nodeOptions = [] } = JSON.parse(readFileSync(join(ROOT, project, 'package.json'), 'utf8'));
  const ofImage = JSON.parse(line).slice(1);
  return nodeOptions.length > 0 ? [ofImage, [...ofImage, ...nodeOptions]] : [ofImage];
}

const [project = relative(ROOT, process.cwd()), target = ROOT] = process.argv.slice(2);
if (project === '--help') process.stdout.write(HELP);
else if (dirname(project) === 'apps') {
  build(project, resolve(target)).catch((error) => {
    process.stderr.write(`${basename(project)} could not be put into one file: ${error.message}\n`);
    process.exitCode = 1;
  });
}
