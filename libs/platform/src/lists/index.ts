export { csvLine, CsvStream, SnapshotRows } from './csv-export';
export { pagesOf, type Query } from './cursor';
export {
  CURSOR_SCHEMA,
  cursorOf,
  instantOf,
  microsAt,
  openedPlace,
  readCursor,
  sealedPlace,
  storedNumber,
  type ListPlace,
} from './list-cursor';
export { badQuery, clampedInteger, knownWord, UuidParam, type IntegerRange } from './query-values';
export { Snapshot } from './snapshot';
