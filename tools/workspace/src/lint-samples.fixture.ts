import { text } from 'node:stream/consumers';
import { ESLint, type Linter } from 'eslint';
import tseslint from 'typescript-eslint';

export interface Sample {
  /** From the root of the workspace; the file exists, what it holds is not read. */
  file: string;
  code: string;
}

/**
 * A program: samples as JSON on standard input, for each the rules it breaks on standard output. One process for all,
 * without type information, because loading takes longer than linting; its own, because ESLint loads its configuration in a
 * way that Jest refuses.
 */
async function main(): Promise<void> {
  const samples = JSON.parse(await text(process.stdin)) as Sample[];
  const withoutTypes = tseslint.configs.disableTypeChecked as Linter.Config;
  const eslint = new ESLint({ overrideConfig: [withoutTypes] });
  const broken: string[][] = [];
  for (const { file, code } of samples) {
    const [result] = await eslint.lintText(code, { filePath: file });
    broken.push((result?.messages ?? []).map(({ ruleId, message }) => ruleId ?? message));
  }
  process.stdout.write(JSON.stringify(broken));
}

if (require.main === module) void main();
