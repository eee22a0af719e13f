import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fillImageFolder } from './image-folder';

const ROOT = join(__dirname, '../../../../..');

const HELP = `Fills a folder with what the image of one project holds, all but the packages of others, and writes which of those
it needs. A stage of docker/Dockerfile; it needs no package but the two compilers that tools/deploy/package.json names.

Usage
  node dist/image/packages/main.js apps/billing <folder>

Options
  --help    this text
`;

async function main([project, folder, ...more]: readonly string[]): Promise<void> {
  if (project === '--help') return void process.stdout.write(HELP);
  if (project === undefined || folder === undefined || more.length > 0) {
    throw new Error('Name the folder of a project and the one to fill: apps/billing image.');
  }
  if (!/^(apps|tools)\/[a-z-]+$/.test(project) || !existsSync(join(ROOT, project, 'src'))) {
    throw new Error(`There is no project ${project}: APP is a folder such as apps/billing or tools/ops.`);
  }
  await fillImageFolder(ROOT, project, resolve(folder));
}

main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
