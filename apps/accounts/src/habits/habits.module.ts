import { IdempotencyModule } from '@evenkeel/platform/auth';
import { Module } from '@nestjs/common';
import { ChangeHabit } from './change-habit';
import { CreateHabit } from './create-habit';
import { HabitsController } from './habits.controller';
import { ReadHabits } from './read-habits';

/** Habits of people, under the cap of their plan. */
@Module({
  imports: [IdempotencyModule],
  controllers: [HabitsController],
  providers: [CreateHabit, ReadHabits, ChangeHabit],
  exports: [ReadHabits],
})
export class HabitsModule {}
