import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ICON_SVG = readFileSync(join(__dirname, 'icons/favicon.svg'));
/** For readers that ask for this name only. */
export const ICON_ICO = readFileSync(join(__dirname, 'icons/favicon.ico'));
