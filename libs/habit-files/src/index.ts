export type {
  Cadence,
  FileHabit,
  FileLog,
  Frequency,
  HabitFile,
  HabitFileFormat,
  HabitToWrite,
  LogStatus,
  LogToWrite,
  ReadHabit,
  Reject,
} from './habit-file';
export { dayOf, type ReadOptions } from './reading/collected-habits';
export { CsvTable, nameIn, type CsvLine } from './reading/csv-table';
export { HABIT_COLUMNS } from './reading/habit-csv';
export { formatOf, readHabitFile } from './reading/read-habit-file';
export {
  expectAtMost,
  READ_LIMITS,
  UnreadableFile,
  type FileProblem,
  type ReadLimits,
} from './reading/unreadable-file';
export { readHabitFileInThread, writeHabitFileInThread, type ThreadLimits } from './worker/habit-file-thread';
export { namesInFiles, type NamesInFiles } from './writing/names-in-files';
export { logSourceIds, orderedHabits, type HabitToPlace, type LogToPlace } from './writing/ordered-habits';
export { writeHabitFile, type WrittenFormat } from './writing/write-habit-file';
