import { PROCESS_STREAMS } from '../command-line/streams';
import { run } from './run';

void run(process.argv.slice(2), PROCESS_STREAMS).then((code) => {
  process.exitCode = code;
});
