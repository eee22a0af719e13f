import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '../../..');

it.each(['agent-gateway', 'accounts', 'billing'])(
  'the types of %s are those of its OpenAPI document; npm run client:types writes them',
  (app) => {
    const program = join(dirname(require.resolve('openapi-typescript/package.json')), 'bin/cli.js');
    const document = join(ROOT, `libs/contracts/openapi/${app}.json`);
    // A member with a default may be left out of a request.
    const types = execFileSync(process.execPath, [program, document, '--default-non-nullable=false'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(readFileSync(join(__dirname, `generated/${app}.d.ts`), 'utf8')).toBe(types);
  },
  60_000,
);
