import { ErrorBody } from '@evenkeel/contracts';
import { CurrentUser, NeedsDatabase, SignedInOnly } from '@evenkeel/platform/auth';
import { NotFound } from '@evenkeel/platform/http';
import { knownWord, UuidParam } from '@evenkeel/platform/lists';
import { together } from '@evenkeel/platform/persistence';
import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import {
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import type { AccountUser } from '../users/account-user';
import { lockUser } from '../users/lock-user';
import { EndSessions } from './end-sessions';
import { ListSessions } from './list-sessions';
import { Logout } from './logout';
import { SessionsView } from './session-view';

const EXCEPTIONS = ['current', 'none'] as const;

@ApiTags('Sign-in')
@NeedsDatabase()
@SignedInOnly(['user'])
@Controller('v1/auth/sessions')
export class SessionsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly listing: ListSessions,
    private readonly leaving: Logout,
    private readonly endSessions: EndSessions,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listSessions',
    summary: 'Where you are signed in',
    description: 'The live sessions, newest first. At most 20: one more sign-in ends the oldest.',
  })
  @ApiOkResponse({
    type: SessionsView,
    description: 'The sessions',
    examples: { recorded: { summary: 'One session', value: SessionsView.example } },
  })
  list(@CurrentUser() user: AccountUser): Promise<SessionsView> {
    return this.listing.execute(user);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'endSession',
    summary: 'End one session',
    description: 'Its tokens count no more, from now on here, and within a second everywhere else.',
  })
  @ApiParam({ name: 'id', description: 'as the list says', schema: { type: 'string', format: 'uuid' } })
  @ApiNoContentResponse({ description: 'The session is over' })
  @ApiResponse({ status: 400, type: ErrorBody, description: '`validation_failed`: the id is no UUID' })
  @ApiResponse({ status: 404, type: ErrorBody, description: '`not_found`: there is no such session' })
  async end(@CurrentUser() { userId }: AccountUser, @UuidParam('id') sessionId: string): Promise<void> {
    if (!(await this.leaving.execute({ userId, sessionId }))) throw new NotFound();
  }

  @Delete()
  @HttpCode(204)
  @ApiOperation({
    operationId: 'endSessions',
    summary: 'End all other sessions, or all',
    description: 'Without `except` the session of this request goes on.',
  })
  @ApiQuery({ name: 'except', required: false, schema: { type: 'string', enum: [...EXCEPTIONS], default: 'current' } })
  @ApiNoContentResponse({ description: 'The sessions are over' })
  @ApiResponse({ status: 400, type: ErrorBody, description: '`validation_failed`: another word' })
  async endAll(@CurrentUser() { userId, sessionId }: AccountUser, @Query('except') except: unknown): Promise<void> {
    const word = knownWord('except', except, EXCEPTIONS) ?? 'current';
    const ending = word === 'none' ? { all: true as const } : { except: sessionId };
    await this.dataSource.transaction(async (tx) => {
      await together([lockUser(tx, userId), this.endSessions.execute(tx, userId, ending)]);
    });
  }
}
