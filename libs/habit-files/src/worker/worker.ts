import { parentPort, workerData } from 'node:worker_threads';
import type { HabitToWrite } from '../habit-file';
import { readHabitFile } from '../reading/read-habit-file';
import { UnreadableFile } from '../reading/unreadable-file';
import { writeHabitFile } from '../writing/write-habit-file';
import type { Heard, Task, Told } from './habit-file-thread';

const tell = (heard: Heard) => parentPort!.postMessage(heard);

/** All habits to write, in the order in which they come. */
function habitsToWrite(): Promise<HabitToWrite[]> {
  const habits: HabitToWrite[] = [];
  return new Promise((resolve) => {
    parentPort!.on('message', (told: Told) => {
      if (told === null) resolve(habits);
      else habits.push(JSON.parse(told) as HabitToWrite);
    });
  });
}

async function work(task: Task): Promise<Heard> {
  if (task.do === 'write') {
    const habits = await habitsToWrite();
    tell('begun');
    return { written: await writeHabitFile(task.format, habits) };
  }
  tell('begun');
  const { habits, ...file } = await readHabitFile(task.bytes, task.options);
  for (const habit of habits) tell({ habit: JSON.stringify(habit) });
  return { file };
}

void work(workerData as Task)
  .catch((error: unknown): Heard => {
    if (!(error instanceof UnreadableFile)) throw error;
    return { refused: { code: error.code, sentence: error.message } };
  })
  .then(tell);
