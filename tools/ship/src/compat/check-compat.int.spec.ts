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

it('finds a column that has got another name: the code before it does not run, on its own schema it does', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-release-'));
  try {
    await using postgres = await startTemporaryPostgres();
    const offences = await checkCompatibility({
      ...{ root: ROOT, folder, serverUrl: postgres.url, env: process.env, workers: 1, say: () => undefined },
      release: await Release.of(ROOT, 'HEAD'),
      apps: new Map([['agent-gateway', [...MIGRATIONS['agent-gateway'], RenameReason1893456000000]]]),
      suites: 'ledger/payment-state',
    });
    const file = 'apps/agent-gateway/src/ledger/payment-state.int.spec.ts';
    expect(offences[0]).toBe('agent-gateway: payments.reason is gone, or has another name.');
    expect(offences[1]).toMatch(`agent-gateway: ${file} fails on the schema of today: a payment that is settling`);
    expect(offences[1]).toContain('column "reason" of relation "payments" does not exist');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);
