import { PROCESS_STREAMS } from '../operations/streams';
import { run } from './run';

void run(process.argv.slice(2), PROCESS_STREAMS).then((code) => {
  process.exitCode = code;
});
