import { Module } from '@nestjs/common';
import { OperatorAccessModule } from '../operator-access/operator-access.module';
import { Freshness } from '../projection/freshness';
import { CsvExports } from './files/csv-exports';
import { FilesController } from './files/files.controller';
import { RevenueController } from './revenue.controller';
import { RevenueSnapshot } from './revenue-snapshot';

@Module({
  imports: [OperatorAccessModule],
  controllers: [RevenueController, FilesController],
  providers: [Freshness, RevenueSnapshot, CsvExports],
})
export class RevenueModule {}
