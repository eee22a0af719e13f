import { writeFileSync } from 'node:fs';
import { BUILT_LIST, commonPasswordLines } from './common-passwords';

writeFileSync(BUILT_LIST, commonPasswordLines());
