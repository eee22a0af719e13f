import {
  CurrentUser,
  NeedsDatabase,
  SignedInOnly,
  Idempotent,
  LimitedBy,
  Refuses,
  IdempotencyModule,
} from '@evenkeel/platform/auth';
import { MaxBodyBytes } from '@evenkeel/platform/http';
import { badQuery } from '@evenkeel/platform/validation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Controller, Get, Post, Query, Req, Res, Module } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Answers, Operation } from '../operation';
import type { AccountUser } from '../users/account-user';
import { EXPORT_WITHIN_MS, ExportHabits } from './export-habits';
import { ImportHabits } from './import-habits';
import { MAX_FORM_BYTES, receiveFile } from './receive-file';
import { whileWaitedFor } from './while-waited-for';

const FORMATS = {
  json: { type: 'application/json; charset=utf-8', name: 'evenkeel-habits.json' },
  csv: { type: 'text/csv; charset=utf-8', name: 'evenkeel-habits.csv' },
  loop: { type: 'application/vnd.sqlite3', name: 'evenkeel-habits.db' },
} as const;

const IMPORT_WITHIN_MS = 30_000;

class HabitCountsView {
  @ApiProperty() readonly created!: number;
  @ApiProperty({ description: 'were there before, and got the logs that they did not have' }) readonly matched!: number;
  @ApiProperty() readonly skipped!: number;
  @ApiProperty({ description: 'of the created ones; the notes say why' }) readonly archived!: number;
}

class LogCountsView {
  @ApiProperty() readonly created!: number;
  @ApiProperty() readonly duplicate!: number;
  @ApiProperty() readonly rejected!: number;
}

class RejectView {
  @ApiProperty({ description: 'where in the file' }) readonly row!: string;
  @ApiProperty() readonly reason!: string;
}

export class ImportView {
  @ApiProperty({ enum: ['loop-zip', 'loop-database', 'csv', 'json'] }) readonly format!: string;
  @ApiProperty() readonly dry_run!: boolean;
  @ApiProperty({ type: HabitCountsView }) readonly habits!: HabitCountsView;
  @ApiProperty({ type: LogCountsView }) readonly logs!: LogCountsView;
  @ApiProperty({ type: [RejectView], description: 'the first 1,000' }) readonly rejects!: readonly RejectView[];
  @ApiProperty({ type: [String], description: 'what was read otherwise than the file has it' })
  readonly notes!: readonly string[];
}

@ApiTags('Import and export')
@NeedsDatabase()
@SignedInOnly([], { 429: '`rate_limited`: too many requests, or too many at work' })
@Controller('v1/habits')
export class TransferController {
  constructor(
    private readonly importing: ImportHabits,
    private readonly exporting: ExportHabits,
  ) {}

  @Post('import')
  @Idempotent({ query: 'dry_run' })
  @LimitedBy('user', 'import')
  @MaxBodyBytes(MAX_FORM_BYTES)
  @Operation(
    'Bring in habits and logs from a file',
    'A backup or an export of the Loop tracker, CSV with `habit,date,value` and perhaps `note`, the JSON of our own export, or that of Beaver Habits, ' +
      'mhabit, HabitTrove and others with dates of what was done; alone, or in a zip or gzip. At most 10 MiB, and 100 MiB unpacked. All of it in one ' +
      'transaction; a repeat creates nothing. New habits over the cap of the plan arrive archived, with their logs; a log that POST would refuse is a reject.',
  )
  @ApiQuery({
    name: 'dry_run',
    required: false,
    schema: { type: 'boolean' },
    description: 'say what would happen, and change nothing',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({
    schema: { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' } } },
  })
  @Answers(200, 'What was done', { type: ImportView })
  @Refuses({
    400: 'the file cannot be read; the code says why',
    413: '`payload_too_large`: more than 10 MiB',
    415: '`unsupported_media_type`: not multipart/form-data',
  })
  async importHabits(
    @CurrentUser() user: AccountUser,
    @Req() { body, headers }: FastifyRequest,
    @Query('dry_run') dryRun: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ImportView> {
    const isDry = readSwitch('dry_run', dryRun);
    const file = receiveFile(body as Buffer | undefined, headers['content-type']);
    return this.importing.execute(user, file, isDry, whileWaitedFor(reply, IMPORT_WITHIN_MS));
  }

  @Get('export')
  @LimitedBy('user', 'export')
  @Operation(
    'Take habits and logs along',
    '`json` has all of them, `csv` and `loop` (a backup that the Loop tracker restores) what such a file can say.',
  )
  @ApiQuery({
    name: 'format',
    required: false,
    schema: { type: 'string', enum: Object.keys(FORMATS), default: 'json' },
  })
  @Answers(200, 'The file', {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['format', 'version', 'habits'],
          properties: {
            format: { type: 'string' },
            version: { type: 'integer' },
            habits: { type: 'array', items: { type: 'object' } },
          },
        },
      },
      'text/csv': { schema: { type: 'string' } },
      'application/vnd.sqlite3': { schema: { type: 'string', format: 'binary' } },
    },
  })
  @Refuses({ 400: '`validation_failed`: no such format; `file_too_large`: more than a backup of Loop may hold' })
  async exportHabits(
    @CurrentUser() { userId }: AccountUser,
    @Query('format') asked: unknown = 'json',
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (typeof asked !== 'string' || !Object.hasOwn(FORMATS, asked)) {
      throw badQuery('format', 'not_in_enum', `must be one of ${Object.keys(FORMATS).join(', ')}`);
    }
    const format = asked as keyof typeof FORMATS;
    const document = await this.exporting.execute(userId, format, whileWaitedFor(reply, EXPORT_WITHIN_MS));
    void reply
      .header('content-type', FORMATS[format].type)
      .header('content-disposition', `attachment; filename="${FORMATS[format].name}"`)
      .send(document);
  }
}

/** Of a query: nothing, `true` or `false`. */
function readSwitch(name: string, value: unknown): boolean {
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw badQuery(name, 'not_in_enum', 'must be true or false');
}

/** Habits and logs from files of others, and to files that others read. */
@Module({
  imports: [IdempotencyModule],
  controllers: [TransferController],
  providers: [ImportHabits, ExportHabits],
  exports: [ExportHabits],
})
export class TransferModule {}
