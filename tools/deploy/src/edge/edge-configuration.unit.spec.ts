import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programArguments } from '@evenkeel/services/programs';
import { WRITTEN_EDGES } from './main';

it.each(Object.entries(WRITTEN_EDGES))('%s is what the routes make it: npm run edge:write', (file, text) => {
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('npm run edge:write -- --help says what it writes, and writes nothing', () => {
  const program = [...programArguments('tools/deploy/src/edge/main.ts'), '--help'];
  const output = execFileSync(process.execPath, program, { cwd: join(__dirname, '../../../..'), encoding: 'utf8' });
  expect(output).toMatch(/^Usage: npm run edge:write -- \[options\]\n/);
  expect(output).not.toContain('Wrote');
});

it('says the address of the connection where clients connect to it themselves', () => {
  const [ofCompose] = Object.values(WRITTEN_EDGES);
  expect(ofCompose).toContain('http-request set-header X-Forwarded-For %[src]');
  expect(ofCompose).not.toContain('hdr_ip(x-forwarded-for');
});
