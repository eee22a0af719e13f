import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '../../..');

it('the types are those of the present OpenAPI document; npm run client:types writes them', () => {
  const program = join(dirname(require.resolve('openapi-typescript/package.json')), 'bin/cli.js');
  const document = join(ROOT, 'libs/contracts/openapi/agent-gateway.json');
  // A member with a default may be left out of a request.
  const types = execFileSync(process.execPath, [program, document, '--default-non-nullable=false'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  expect(readFileSync(join(__dirname, 'generated/agent-gateway.d.ts'), 'utf8')).toBe(types);
}, 60_000);
