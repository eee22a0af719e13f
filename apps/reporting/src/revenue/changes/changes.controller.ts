import { LimitedBy } from '@evenkeel/platform/auth';
import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { OperatorOnly } from '../../operator-access/operator-only';
import { QueryMember } from '../../operator-access/query-member';
import { RevenueChangesView, ReadChanges } from './read-changes';

class ChangesQuery {
  @QueryMember({ type: 'string' }, '`version` of an earlier answer') since?: string;
}

/** The poll of pages, in place of every other read. */
@OperatorOnly()
@Controller('v1/admin/revenue')
export class ChangesController {
  constructor(private readonly changes: ReadChanges) {}

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
    const { changes, freshness } = await this.changes.execute(since);
    void reply.headers({ 'x-as-of': freshness.asOf.toISOString(), 'x-lag-seconds': String(freshness.lagSeconds) });
    if (changes !== null) return changes;
    void reply.status(204);
    return undefined;
  }
}
