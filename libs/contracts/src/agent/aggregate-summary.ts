import { ArrayMaxSize, IsIn, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { ListOf, Nested } from '../schema/nested.decorator';
import { Count, IntegerBetween, Ratio } from '../schema/number.decorator';
import { Strings } from '../schema/text.decorator';
import { MAX_ITEMS } from './max-items';

export const BANDS = ['low', 'moderate', 'high'] as const;
export type Band = (typeof BANDS)[number];

@JSONSchema({ description: 'Number of habits in each band of lapse risk' })
export class BandCounts {
  @Count() low!: number;
  @Count() moderate!: number;
  @Count() high!: number;
}

export class HighestRisk {
  @IsString() habit!: string;
  @Ratio() lapse_risk!: number;
  @IsIn(BANDS) band!: Band;
}

@JSONSchema({ description: 'Scores of one habit' })
export class HabitScores {
  @JSONSchema({ description: 'Place of the habit in the request' })
  @IntegerBetween(0, MAX_ITEMS - 1)
  index!: number;

  @IsString() habit!: string;
  @Ratio() adherence!: number;

  @JSONSchema({ description: 'Share of scheduled occasions expected in the next 7 days' })
  @Ratio()
  expected_adherence!: number;

  @Ratio() consistency!: number;
  @Ratio() momentum!: number;

  @JSONSchema({ description: 'Chance that fewer than half of the occasions of the next 7 days are done' })
  @Ratio()
  lapse_risk!: number;

  @IsIn(BANDS) band!: Band;
  @Ratio() priority!: number;

  @JSONSchema({ description: 'What raises the risk, strongest first; open list of codes' })
  @Strings()
  @ArrayMaxSize(3)
  drivers!: string[];
}

export class AggregateSummary {
  @IntegerBetween(1, MAX_ITEMS) habit_count!: number;
  @IntegerBetween(7, 180) horizon_days!: number;
  @Ratio() mean_adherence!: number;
  @Ratio() mean_consistency!: number;
  @Ratio() mean_momentum!: number;
  @Ratio() mean_lapse_risk!: number;
  @Nested(() => BandCounts) bands!: BandCounts;
  @Nested(() => HighestRisk) highest_risk!: HighestRisk;

  @JSONSchema({ description: 'In the order of the request' })
  @ListOf(() => HabitScores)
  per_habit!: HabitScores[];
}
