import { IdempotencyModule } from '@evenkeel/platform/auth';
import { Module } from '@nestjs/common';
import { HabitsModule } from '../habits/habits.module';
import { AddLogs } from './add-logs';
import { ChangeLog } from './change-log';
import { ReadChanges } from './changes';
import { LogBatch } from './log-batch';
import { LogsController } from './logs.controller';
import { SyncController } from './sync.controller';

/** Logs of habits. */
@Module({
  imports: [IdempotencyModule, HabitsModule],
  controllers: [LogsController, SyncController],
  providers: [AddLogs, ChangeLog, LogBatch, ReadChanges],
})
export class LogsModule {}
