import { dirname, join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../run.fixture';

/**
 * Checks texts as if they were files of the workspace.
 * @param texts by path from the root
 * @returns one line for each type error in them
 */
export function typeErrorsIn(texts: ReadonlyMap<string, string>): string[] {
  const virtual = new Map([...texts].map(([file, text]) => [join(ROOT, file), text]));
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, directoryExists } = host;
  const folders = new Set([...virtual.keys()].map((file) => dirname(file)));
  host.fileExists = (file) => virtual.has(file) || fileExists(file);
  host.directoryExists = (folder) => folders.has(folder) || (directoryExists?.(folder) ?? false);
  host.readFile = (file) => virtual.get(file) ?? readFile(file);

  const program = ts.createProgram([...virtual.keys()], options, host);
  return [...virtual.keys()]
    .flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(file)))
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}
