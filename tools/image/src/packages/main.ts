import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BadUsage, CommandLine, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { fillImageFolder } from './image-folder';

const ROOT = join(__dirname, '../../../..');

const PACKAGES = new CommandLine({
  call: 'sh tools/run.sh tools/image/src/packages/main.ts',
  about: `Fills a folder with what the image of one project holds, all but the packages of others, and writes which of those
it needs. A stage of docker/Dockerfile, after the build.`,
  usage: ['sh tools/run.sh tools/image/src/packages/main.ts apps/billing image'],
  options: {},
  takesArguments: true,
  read: (_none, [project, folder, ...more]) => {
    if (project === undefined || folder === undefined || more.length > 0) {
      throw new BadUsage('Name the folder of a project and the one to fill: apps/billing image.');
    }
    if (!/^(apps|tools)\/[a-z-]+$/.test(project) || !existsSync(join(ROOT, project, 'dist'))) {
      throw new BadUsage(
        `There is no compiled project ${project}: APP is a folder such as apps/billing or tools/events.`,
      );
    }
    return { project, folder };
  },
});

startCommand(process.env, (args, _env, streams) =>
  runCommand(PACKAGES, args, streams, ({ project, folder }) => fillImageFolder(ROOT, project, resolve(folder))),
);
