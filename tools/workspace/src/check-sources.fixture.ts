import { rmSync } from 'node:fs';
import { createProjectGraphAsync } from '@nx/devkit';
import { ESLint, type Linter } from 'eslint';
import ts from 'typescript';
import tseslint from 'typescript-eslint';

export interface Objections {
  /** Of the compiler, as text. */
  types: string;
  /** Of eslint.config.mjs, as text. */
  rules: string;
}

const CACHE = 'node_modules/.cache';
const RULES_CACHE = `${CACHE}/eslint/`;
/** The rule about boundaries reads the graph of the projects once for a program of this name, for others once a file. */
const KNOWN_LINTER = 'node_modules/.bin/eslint';

/**
 * A program: what compiler and linter object to in the whole workspace, as JSON on standard output. One for both, because
 * each would read and check all sources for itself, which is most of the work. Its argument is a folder, where not all of the
 * workspace is linted.
 */
async function main(): Promise<void> {
  const program = readWorkspace();
  const types = typeErrors(program);
  const rules = await brokenRules(program.getProgram(), process.argv[2] ?? '.');
  process.stdout.write(JSON.stringify({ types, rules } satisfies Objections));
}

function readWorkspace(): ts.EmitAndSemanticDiagnosticsBuilderProgram {
  const options = { incremental: true, tsBuildInfoFile: `${CACHE}/tsc/workspace.tsbuildinfo` };
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: refuse };
  const config = ts.getParsedCommandLineOfConfigFile('tsconfig.json', options, host)!;
  return ts.createIncrementalProgram({
    rootNames: config.fileNames,
    options: config.options,
    configFileParsingDiagnostics: config.errors,
  });
}

function typeErrors(program: ts.EmitAndSemanticDiagnosticsBuilderProgram): string {
  const found = [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...program.getSyntacticDiagnostics(),
    ...program.getSemanticDiagnostics(),
  ];
  // Emits nothing but what the next run need not check again.
  program.emit();
  return asText(found);
}

async function brokenRules(program: ts.Program, folder: string): Promise<string> {
  // Without a graph of the projects the rule about boundaries says "will be skipped" and passes.
  await createProjectGraphAsync();
  process.argv[1] = KNOWN_LINTER;
  const eslint = new ESLint({
    cache: true,
    cacheStrategy: 'content',
    cacheLocation: RULES_CACHE,
    overrideConfig: { files: ['**/*.ts'], languageOptions: { parser: parserWith(program) } },
  });
  const results = await eslint.lintFiles(folder);
  // A file that came after the program was read cannot be parsed; the cache would say so of it until its text changes.
  if (results.some(({ fatalErrorCount }) => fatalErrorCount > 0)) rmSync(RULES_CACHE, { recursive: true });
  const formatter = await eslint.loadFormatter('stylish');
  return formatter.format(results);
}

/** Without the program in its options: the cache would write it into its keys. */
function parserWith(program: ts.Program): Linter.Parser {
  const { meta, parseForESLint } = tseslint.parser as Extract<Linter.Parser, { parseForESLint: unknown }>;
  return {
    meta,
    parseForESLint: (text, options: object) =>
      parseForESLint(text, { ...options, project: undefined, programs: [program] }),
  };
}

function refuse(diagnostic: ts.Diagnostic): never {
  throw new Error(asText([diagnostic]));
}

function asText(diagnostics: readonly ts.Diagnostic[]): string {
  const host = {
    getCanonicalFileName: (file: string) => file,
    getCurrentDirectory: () => process.cwd(),
    getNewLine: () => '\n',
  };
  return ts.formatDiagnostics(diagnostics, host);
}

if (require.main === module) void main();
