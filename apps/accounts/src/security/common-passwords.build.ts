import { writeFileSync } from 'node:fs';
import { BUILT_LIST, commonPasswordLines } from './breached-passwords';

writeFileSync(BUILT_LIST, commonPasswordLines());
