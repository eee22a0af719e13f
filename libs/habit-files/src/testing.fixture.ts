export { LOOP_ZIP, loopDatabase, zipOf } from './loop/loop-files.fixture';
export { someHabits } from './some-habits.fixture';
