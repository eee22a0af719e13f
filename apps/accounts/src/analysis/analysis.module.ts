import { Module } from '@nestjs/common';
import { AnalysisController } from './analysis.controller';
import { Analyze } from './analyze';
import { FindScope, ReadQuestion } from './read-question';
import { ListInsights } from './list-insights';
import { ReadStats } from './read-stats';
import { ReadToday } from './read-today';
import { Recommend } from './recommend';
import { StatsController } from './stats.controller';

/** Analyses, insights, plans and recommendations from logs. */
@Module({
  controllers: [AnalysisController, StatsController],
  providers: [FindScope, ReadQuestion, Analyze, ListInsights, Recommend, ReadStats, ReadToday],
})
export class AnalysisModule {}
