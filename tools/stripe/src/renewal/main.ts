import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandLine, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { ALL_CALLS } from '../calls/all-calls';
import { LICENSE_FILE, PUBLISHED_FILE } from '../schema/published';
import { downloadStripeMock } from '../schema/stripe-mock-module';
import { type Description, prune, written } from './prune';

const RENEWAL = new CommandLine({
  call: 'npm run stripe:schemas',
  about: `Renews the parts of Stripe's OpenAPI description that are in use, from the Go module of stripe-mock.
It needs a Go compiler. A new version of the API is set in src/schema/published.ts first.`,
  options: {},
  read: () => ({}),
});

const PACKAGE = join(__dirname, '../..');

startCommand(process.env, (args, _env, streams) =>
  runCommand(RENEWAL, args, streams, async (_none, { out }) => {
    const folder = await downloadStripeMock();
    const text = await readFile(join(folder, 'embedded/openapi/spec3.json'), 'utf8');
    const published = prune(JSON.parse(text) as Description, Object.keys(ALL_CALLS));
    await mkdir(join(PACKAGE, 'openapi'), { recursive: true });
    await writeFile(join(PACKAGE, PUBLISHED_FILE), written(published));
    await writeFile(join(PACKAGE, LICENSE_FILE), await readFile(join(folder, 'LICENSE')));
    const { operations, schemas } = published;
    out(`${Object.keys(operations).length} calls and ${Object.keys(schemas).length} schemas in ${PUBLISHED_FILE}\n`);
  }),
);
