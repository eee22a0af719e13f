export { AMPLIFIERS } from './amplifiers.fixture';
export { fieldFile, loopFacts } from './cases.fixture';
export {
  asLoopCounts,
  LOOP_HABITS,
  LOOP_ZIP,
  loopDatabase,
  markedHabit,
  zipOf,
  type LoopMark,
} from './loop/loop-files.fixture';
export { someHabits } from './some-habits.fixture';
export { writeHabitFile } from './writing/write-habit-file.fixture';
