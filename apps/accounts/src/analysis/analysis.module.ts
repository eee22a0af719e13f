import { Module } from '@nestjs/common';
import { AnalysisController } from './analysis.controller';
import { Analyze } from './analyze';
import { ListInsights } from './insights';
import { ReadQuestion } from './read-question';
import { ReadStats } from './read-stats';
import { Recommend } from './recommend';
import { StatsController } from './stats.controller';

/** Analyses, insights, plans and recommendations from logs. */
@Module({
  controllers: [AnalysisController, StatsController],
  providers: [ReadQuestion, Analyze, ListInsights, Recommend, ReadStats],
})
export class AnalysisModule {}
