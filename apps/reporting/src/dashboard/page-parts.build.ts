import { writeFileSync } from 'node:fs';
import { BUILT_PARTS, bundlePage } from './page-parts';

writeFileSync(BUILT_PARTS, JSON.stringify(bundlePage()));
