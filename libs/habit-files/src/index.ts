export type {
  Cadence,
  FileHabit,
  FileLog,
  Frequency,
  HabitFile,
  HabitFileFormat,
  HabitInFile,
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
export type { OpenedFile, OpenedHabit } from './process/file-work';
export { FileProcess, type ProcessLimits } from './process/file-process';
export { FileApart, loopApart, type KnownHabit } from './process/apart';
export { missingLogs, type KnownLog } from './missing-logs';
export { inFileOrder, namesInFiles, orderedLogs } from './writing/ordered-habits';
export type { NamesInFiles, WrittenFormat } from './writing/ordered-habits';
export { writtenCsv, writtenJson } from './writing/write-text';
