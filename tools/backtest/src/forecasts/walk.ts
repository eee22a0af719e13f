import type { WalkableFile } from '../reading/read-file';
import type { Forecasts } from './forecasts';
import { walkHabit } from './walk-habit';
import { walkTask } from './walk-task';

/**
 * Walks through every history of a file.
 * @param told called before each, with the number done
 */
export function walk(file: WalkableFile, told: (done: number, of: number) => void): Forecasts[] {
  const { length } = file.subject === 'habits' ? file.habits : file.tasks;
  if (file.subject === 'tasks') {
    return file.tasks.map((task, done) => {
      told(done, length);
      return walkTask(task);
    });
  }
  return file.habits.map((habit, done) => {
    told(done, length);
    return walkHabit(habit, file.weekStart);
  });
}
