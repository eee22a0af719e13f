import { LimitedBy } from '@evenkeel/platform/auth';
import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { EntityManager } from 'typeorm';
import { OperatorOnly } from '../../operator-access/operator-only';
import { QueryMember } from '../../operator-access/query-member';
import { RevenueSnapshot } from '../revenue-snapshot';
import { PARTS, readChanges, RevenueChangesView } from './read-changes';

class ChangesQuery {
  @QueryMember({ type: 'string' }, '`version` of an earlier answer') since?: string;
}

/** The poll of pages, in place of every other read. */
@OperatorOnly()
@Controller('v1/admin/revenue')
export class ChangesController {
  constructor(private readonly snapshot: RevenueSnapshot) {}

  @Get('changes')
  @LimitedBy('changes')
  @ApiOperation({
    operationId: 'getRevenueChanges',
    description: 'Cheap: pages ask it every few seconds and read again what changed. It has a limit of its own.',
    summary: 'What may have changed since an earlier answer; 204 when nothing has',
  })
  @ApiOkResponse({ type: RevenueChangesView })
  @ApiNoContentResponse({ description: 'nothing; as_of and lag_seconds are in the headers X-As-Of and X-Lag-Seconds' })
  async read(
    @Query() { since }: ChangesQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RevenueChangesView | undefined> {
    const read = async (tx: EntityManager, now: Date) => ({ changes: await readChanges(tx, now, since) });
    const { changes, ...stamp } = await this.snapshot.read(read, ...Object.values(PARTS));
    void reply.headers({ 'x-as-of': stamp.as_of, 'x-lag-seconds': String(stamp.lag_seconds) });
    if (changes !== null) return { ...changes, ...stamp };
    void reply.status(204);
    return undefined;
  }
}
