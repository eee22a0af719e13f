import { EventTransport } from '@evenkeel/platform/messaging';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SUBSCRIPTION } from './project-ledger.consumer';
import { EMPTIED_TABLES } from './emptied-tables';

const OPEN = 'SELECT FROM rebuilds WHERE rewound_at IS NULL LIMIT 1';

// The oldest row that is now unprojected is the oldest there is.
const EMPTY = `
  WITH oldest AS (
    SELECT least((SELECT min(verified_at) FROM payments), (SELECT min(issued_at) FROM credits)) AS at
  )
  UPDATE progress SET applied = 0, checked_at = NULL, caught_up_at = least(caught_up_at, (SELECT at FROM oldest))`;

/**
 * Empties the projection and lets it read the stream from its first event.
 *
 * First emptied, then rewound: until both are done the request stays open, nobody begins to read, and a crash in between
 * repeats the steps. A worker that read on meanwhile could only apply what has no predecessor missing, which is right,
 * and is remembered; it stops at its next look, and only then does the broker let the group begin anew.
 */
@Injectable()
export class BeginAnew {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transport: EventTransport,
  ) {}

  async isAskedFor(): Promise<boolean> {
    return (await this.dataSource.query<object[]>(OPEN)).length > 0;
  }

  /** To be called by one who does not read. Rejects while another one does: try again. */
  async execute(): Promise<void> {
    await this.empty();
    await this.transport.rewind(SUBSCRIPTION);
    await this.dataSource.query(
      'UPDATE rebuilds SET rewound_at = now() WHERE emptied_at IS NOT NULL AND rewound_at IS NULL',
    );
  }

  private async empty(): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      // A reader that holds one table and wants the next one gets it before PostgreSQL would call it a deadlock; the
      // next round tries again.
      await tx.query(`SET LOCAL lock_timeout = '200ms'`);
      // Whoever comes second finds nothing to empty.
      const asked = await tx.query<object[]>('SELECT FROM rebuilds WHERE emptied_at IS NULL FOR UPDATE');
      if (asked.length === 0) return;
      await tx.query(EMPTY);
      await tx.query(`TRUNCATE ${EMPTIED_TABLES.join(', ')}`);
      await tx.query('INSERT INTO credit_totals DEFAULT VALUES');
      await tx.query('UPDATE rebuilds SET emptied_at = now() WHERE emptied_at IS NULL');
    });
  }
}
