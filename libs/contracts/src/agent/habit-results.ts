import { ArrayMaxSize, ArrayMinSize, Equals, IsIn, IsNumber, IsObject, IsString, Matches } from 'class-validator';
import { REBATE_TIER_NAMES, type RebateTierName } from '../payments/rebate';
import {
  Count,
  Described,
  Instant,
  IntegerBetween,
  ListOf,
  Nested,
  Nullable,
  NumberBetween,
  Optional,
  Ratio,
  Strings,
} from '../schema/field.decorators';
import { MAX_ITEMS } from './habit-inputs';

export const BANDS = ['low', 'moderate', 'high'] as const;

type Band = (typeof BANDS)[number];

@Described('Number of habits in each band of lapse risk')
class BandCounts {
  @Count() low!: number;
  @Count() moderate!: number;
  @Count() high!: number;
}

class HighestRisk {
  @IsString() habit!: string;
  @Ratio() lapse_risk!: number;
  @IsIn(BANDS) band!: Band;
}

@Described('Scores of one habit')
class HabitScores {
  @Described('Place of the habit in the request') @IntegerBetween(0, MAX_ITEMS - 1) index!: number;
  @IsString() habit!: string;
  @Ratio() adherence!: number;
  @Described('Share of scheduled occasions expected in the next 7 days') @Ratio() expected_adherence!: number;
  @Ratio() consistency!: number;
  @Ratio() momentum!: number;
  @Described('Chance that fewer than half of the occasions of the next 7 days are done') @Ratio() lapse_risk!: number;
  @IsIn(BANDS) band!: Band;
  @Ratio() priority!: number;

  @Described('What raises the risk, strongest first; open list of codes')
  @Strings()
  @ArrayMaxSize(3)
  drivers!: string[];
}

class AggregateSummary {
  @IntegerBetween(1, MAX_ITEMS) habit_count!: number;
  @IntegerBetween(7, 180) horizon_days!: number;
  @Ratio() mean_adherence!: number;
  @Ratio() mean_consistency!: number;
  @Ratio() mean_momentum!: number;
  @Ratio() mean_lapse_risk!: number;
  @Nested(() => BandCounts) bands!: BandCounts;
  @Nested(() => HighestRisk) highest_risk!: HighestRisk;
  @Described('In the order of the request') @ListOf(() => HabitScores) per_habit!: HabitScores[];
}

export class MoneyAmount {
  @Described('Rounded to cents') @IsNumber() usd!: number;
  @Described('Exact, six decimals') @IsString() @Matches(/^\d+\.\d{6}$/) usd_exact!: string;
}

/** Present in the answer to the payment that filled up a credit. */
@Described('A single-use call credit that this payment has earned')
export class RebateEarned {
  @Described('null in a repeat without the Idempotency-Key or payment identifier of the first request')
  @Nullable()
  @IsString()
  credit_token!: string | null;

  @Nested(() => MoneyAmount) face_value!: MoneyAmount;
  @IsString() redeem_header!: string;
  @Strings() redeemable_on!: string[];
  @Equals(true) single_use!: true;
  @Nullable() @Instant() expires_at!: string | null;
  @IsIn(REBATE_TIER_NAMES) tier!: RebateTierName;
  @Ratio() rate!: number;
  @Nested(() => MoneyAmount) accrued_after!: MoneyAmount;
  @Described('The token was given in an earlier answer') @Optional() @Equals(true) delivered?: true;
}

/** Members that every paid result may have after its own. */
export class AgentResult {
  @Described('Ignored properties and corrected streaks; present only when there are any')
  @Optional()
  @Strings()
  @ArrayMinSize(1)
  warnings?: string[];

  @Optional() @Nested(() => RebateEarned) rebate_earned?: RebateEarned;
}

export class AgentAnalysisResult extends AgentResult {
  @Nested(() => AggregateSummary) aggregate_summary!: AggregateSummary;
  @Strings() highlights!: string[];
  @Strings() watchouts!: string[];
  @Described('One per habit, most urgent first') @Strings() recommendations!: string[];
}

/** Entries about several habits have neither index nor habit. */
class AboutHabits {
  @Described('Place of the habit in the request; null when the entry is about several')
  @Nullable()
  @IntegerBetween(0, MAX_ITEMS - 1)
  index!: number | null;

  @Nullable() @IsString() habit!: string | null;
}

class Pattern extends AboutHabits {
  @Described('Open list of codes') @IsString() code!: string;
  @IsString() statement!: string;

  @Described('The numbers behind the statement; members depend on the code')
  @IsObject()
  evidence!: Record<string, unknown>;
}

class Correlation extends AboutHabits {
  @Described('Open list: mood') @IsString() variable!: string;
  @NumberBetween(-1, 1) coefficient!: number;
  @IsIn(['possible', 'clear']) strength!: 'possible' | 'clear';
  @IsIn(['positive', 'negative']) direction!: 'positive' | 'negative';

  @Described('`caller`: taken from the request; `computed`: over the habits of the request')
  @IsIn(['caller', 'computed'])
  source!: 'caller' | 'computed';

  @Described('Habits behind a computed coefficient') @Optional() @Count() n?: number;
}

class RiskSignal {
  @IntegerBetween(0, MAX_ITEMS - 1) index!: number;
  @IsString() habit!: string;
  @IsIn(['moderate_lapse_risk', 'high_lapse_risk']) code!: 'moderate_lapse_risk' | 'high_lapse_risk';
  @IsIn(['moderate', 'high']) band!: 'moderate' | 'high';
  @Ratio() value!: number;
  @Strings() drivers!: string[];
}

/** Both documented shapes of the insights result in one. */
export class AgentInsightsResult extends AgentResult {
  @Described('Equal to aggregate_summary') @Nested(() => AggregateSummary) summary!: AggregateSummary;
  @Nested(() => AggregateSummary) aggregate_summary!: AggregateSummary;
  @Strings() highlights!: string[];
  @Strings() watchouts!: string[];
  @Strings() recommendations!: string[];
  @ListOf(() => Pattern) patterns!: Pattern[];
  @ListOf(() => Correlation) correlations!: Correlation[];
  @ListOf(() => RiskSignal) risk_signals!: RiskSignal[];
}

@Described('Next-best action for one habit')
class HabitRecommendation {
  @IsString() habit!: string;
  @IsString() action!: string;
  @IsString() rationale!: string;
  @Ratio() priority!: number;
  @IntegerBetween(0, MAX_ITEMS - 1) index!: number;
  @Described('Open list of codes') @IsString() code!: string;
}

export class AgentRecommendResult extends AgentResult {
  @Described('One per habit, most urgent first')
  @ListOf(() => HabitRecommendation)
  recommendations!: HabitRecommendation[];

  @IntegerBetween(1, MAX_ITEMS) generated_for_habits!: number;
}

const MAX_HORIZON_DAYS = 180;

class PlanWeek {
  @IntegerBetween(1, 26) week!: number;
  @IntegerBetween(1, MAX_HORIZON_DAYS) start_day!: number;
  @IntegerBetween(1, 7) days!: number;
  @Ratio() target_rate!: number;
  @IntegerBetween(1, 7) target_sessions!: number;
}

class PlanMilestone {
  @Described('Days from the start of the plan, first day 1') @IntegerBetween(1, MAX_HORIZON_DAYS) day!: number;
  @IsIn(['day', 'streak']) code!: 'day' | 'streak';

  @Described('The day, or the length of the streak, that is reached')
  @IntegerBetween(1, MAX_HORIZON_DAYS)
  mark!: number;

  @IsString() text!: string;
}

class HabitPlan {
  @IntegerBetween(0, MAX_ITEMS - 1) index!: number;
  @IsString() habit!: string;
  @Ratio() start_rate!: number;
  @Ratio() goal_rate!: number;
  @ListOf(() => PlanWeek) weeks!: PlanWeek[];
  @ListOf(() => PlanMilestone) milestones!: PlanMilestone[];
}

export class AgentPlanResult extends AgentResult {
  @IntegerBetween(7, MAX_HORIZON_DAYS) horizon_days!: number;
  @Described('One per habit, in the order of the request') @ListOf(() => HabitPlan) plan!: HabitPlan[];
  @IsString() rationale!: string;
}
