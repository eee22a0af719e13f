import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledPrograms } from '../../programs/kept';

const ROOT = join(__dirname, '../../../..');
/** Loads every service, and does nothing. */
const SERVICES = 'apps/standalone/src/hosted-services.ts';

/** Programs that only tests know. */
const FIXTURES = [
  'apps/billing/src/fault-tests/worker-program.fixture.ts',
  'apps/reporting/src/projection/worker-program.fixture.ts',
];

const CHILDREN = ['libs/habit-files/src/process/program.ts'];

/** The file with all programs behind the scripts of package.json, and those of tests. */
export function workspacePrograms(): Promise<string> {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const behindScripts = Object.values(scripts).flatMap((script) => script.match(/\b(?:apps|tools)\/\S+\.ts\b/g) ?? []);
  return compiledPrograms({
    root: ROOT,
    folder: join(ROOT, 'node_modules/.cache/evenkeel-programs'),
    entries: [...new Set([...behindScripts, ...FIXTURES, SERVICES])].sort(),
    children: CHILDREN,
    warmUp: [SERVICES],
  });
}
