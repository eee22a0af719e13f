import { IdempotencyModule } from '@evenkeel/platform/auth';
import { Module } from '@nestjs/common';
import { ExportHabits } from './export-habits';
import { ImportHabits } from './import-habits';
import { TransferController } from './transfer.controller';

/** Habits and logs from files of others, and to files that others read. */
@Module({
  imports: [IdempotencyModule],
  controllers: [TransferController],
  providers: [ImportHabits, ExportHabits],
  exports: [ExportHabits],
})
export class TransferModule {}
