import { Clock, uuidv7 } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PublishAccess } from '../subscriptions/publish-access';

export interface NewGrant {
  userId: string;
  /** Null: without an end. */
  until: Date | null;
  note: string;
}

export interface RevokedGrant {
  userId: string;
  until: Date | null;
}

/** Premium that an operator gives by hand, and takes back. Readers hear of it in the transaction of the change. */
@Injectable()
export class Grants {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly publish: PublishAccess,
  ) {}

  /** @returns null when billing knows nobody of this id, or they have left */
  give({ userId, until, note }: NewGrant): Promise<string | null> {
    return this.dataSource.transaction(async (tx) => {
      const known = await tx.query<object[]>('SELECT FROM people WHERE user_id = $1 AND deleted_at IS NULL FOR SHARE', [
        userId,
      ]);
      if (known.length === 0) return null;
      const now = this.clock.now();
      const id = uuidv7(now);
      await tx.query('INSERT INTO grants (id, user_id, until, note, granted_at) VALUES ($1, $2, $3, $4, $5)', [
        ...[id, userId, until, note, now],
      ]);
      await this.publish.execute(tx, userId, { cause: 'operator.grant', changedAt: now });
      return id;
    });
  }

  /** @returns null when there is no such grant, or it was taken back before */
  revoke(grantId: string): Promise<RevokedGrant | null> {
    return this.dataSource.transaction(async (tx) => {
      const now = this.clock.now();
      const [[grant]] = await tx.query<[RevokedGrant[], number]>(
        `UPDATE grants SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING user_id AS "userId", until`,
        [grantId, now],
      );
      if (!grant) return null;
      await this.publish.execute(tx, grant.userId, { cause: 'operator.revoke', changedAt: now });
      return grant;
    });
  }
}
