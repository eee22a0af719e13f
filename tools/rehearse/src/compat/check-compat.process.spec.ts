import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTemporaryPostgres } from '@evenkeel/services';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { checkCompatibility } from './check-compat';
import { MIGRATIONS, ROOT } from './command';
import { Release } from './release';

class RenameReason1893456000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE payments RENAME COLUMN reason TO cause`);
  }
  async down(): Promise<void> {}
}

/** The release of HEAD, on the schema that these migrations of its gateway make. */
async function checked(migrations: (typeof MIGRATIONS)['agent-gateway']) {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-release-'));
  const said: string[] = [];
  try {
    await using postgres = await startTemporaryPostgres();
    const offences = await checkCompatibility({
      ...{ root: ROOT, folder, serverUrl: postgres.url, env: process.env, workers: 1 },
      release: await Release.of(ROOT, 'HEAD'),
      apps: new Map([['agent-gateway', migrations]]),
      suites: 'ledger/payment-state',
      say: (line) => void said.push(line),
    });
    return { offences, said };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it('runs no suite of a service without new migrations', async () => {
  const { offences, said } = await checked(MIGRATIONS['agent-gateway']);
  expect([offences, said.at(-1)]).toEqual([[], 'agent-gateway: no migration is new']);
}, 300_000);

it('finds a column that has got another name: the code before it does not run, on its own schema it does', async () => {
  const { offences } = await checked([...MIGRATIONS['agent-gateway'], RenameReason1893456000000]);
  const file = 'apps/agent-gateway/src/ledger/payment-state.int.spec.ts';
  expect(offences[0]).toBe('agent-gateway: payments.reason is gone, or has another name.');
  expect(offences[1]).toMatch(`agent-gateway: ${file} fails on the schema of today: a payment that is settling`);
  expect(offences[1]).toContain('column "reason" of relation "payments" does not exist');
}, 300_000);
