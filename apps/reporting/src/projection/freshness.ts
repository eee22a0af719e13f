import { EVENT_HEADERS } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** A worker looks at least once a second; after so long without a look, nothing shows any more that all events are applied. */
const STALE_AFTER = `interval '2 seconds'`;

/** A heartbeat that is late by less says nothing yet. */
const HEARTBEAT_WITHIN_SECONDS = 10;

// The age of unpublished events: as the owner of the stream said, and older since; or a partition is silent, which
// has a row from the first look of a worker on (`awaitHeartbeats`).
const UNPUBLISHED = `
  (SELECT greatest(
     max(CASE WHEN waited > interval '0' THEN extract(epoch FROM waited + (now() - heard_at)) END),
     extract(epoch FROM now() - min(heard_at)) - ${HEARTBEAT_WITHIN_SECONDS}
   ) FROM heartbeats h WHERE h.subscription = progress.subscription)`;

// By the clock of the database alone: worker and reader may have clocks of their own. A parked event is in no answer
// either, however far the others have come.
const LAG = `
  SELECT max(greatest(extract(epoch FROM now() - least(
    CASE WHEN unread = 0 AND checked_at > now() - ${STALE_AFTER} THEN now() ELSE caught_up_at END,
    (SELECT min(CASE WHEN pg_input_is_valid(happened_at, 'timestamptz') THEN happened_at::timestamptz ELSE parked_at END)
     FROM (SELECT parked_at, coalesce(message->'headers'->>'${EVENT_HEADERS.time}', '') AS happened_at
           FROM parked WHERE consumer = subscription) waiting)
  )), ${UNPUBLISHED}))::float8 AS lag
  FROM progress WHERE subscription = ANY ($1)`;

export interface FreshnessReading {
  asOf: Date;
  /**
   * Age of the oldest event that may not be applied yet, to a tenth of a second; 0 when all are applied. Includes those that
   * their service has not published: as it says itself, or because it is silent.
   */
  lagSeconds: number;
}

/** How far the tables of projections may be behind their streams. */
@Injectable()
export class Freshness {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Does not see events since the last look of the worker; after two seconds without a look it is behind.
   * @param subscriptions of all tables that an answer is made of: the one that is furthest behind decides
   */
  async read(...subscriptions: readonly string[]): Promise<FreshnessReading> {
    const [{ lag }] = await this.dataSource.query<[{ lag: number }]>(LAG, [subscriptions]);
    return { asOf: this.clock.now(), lagSeconds: Math.round(Math.max(0, lag) * 10) / 10 };
  }
}
