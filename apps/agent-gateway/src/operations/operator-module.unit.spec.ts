import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorModule } from './operator-module';

class Feature {}

const env = { DATABASE_URL: 'postgres://localhost/ledger', X402_PAY_TO: `0x${'ab'.repeat(20)}` };

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'operator-'))));
afterAll(() => rmSync(folder, { recursive: true }));

it('does without the keys of answers and receipts, and takes those of files, as containers have them', () => {
  const file = join(folder, 'keys');
  writeFileSync(file, `first:${Buffer.alloc(32, 7).toString('base64')}\n`);
  expect(() => operatorModule(Feature, env)).not.toThrow();
  expect(() => operatorModule(Feature, { ...env, ANSWER_KEYS_FILE: file, RECEIPT_KEYS_FILE: file })).not.toThrow();
  expect(() => operatorModule(Feature, { ...env, ANSWER_KEYS: 'none' })).toThrow('ANSWER_KEYS');
});
