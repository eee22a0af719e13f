import { PROCESS_STREAMS } from '../streams';
import { run } from './run';

void run(process.argv.slice(2), process.env, PROCESS_STREAMS).then((code) => {
  process.exitCode = code;
});
