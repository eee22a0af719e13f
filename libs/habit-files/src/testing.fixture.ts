export { AMPLIFIERS } from './amplifiers.fixture';
export { fieldFile, loopFacts } from './cases.fixture';
export { LOOP_HABITS, loopDatabase } from './loop/loop-files.fixture';
export { someHabits } from './some-habits.fixture';
export { writeHabitFile } from './writing/write-habit-file.fixture';
