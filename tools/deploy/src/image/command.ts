import { BadUsage, CommandLine } from '@evenkeel/platform/command-line';

/** Projects of the images, those of tools first. */
export const IMAGES = [
  ...['tools/ops', 'tools/facilitator', 'tools/stripe'],
  ...['apps/agent-gateway', 'apps/accounts', 'apps/billing', 'apps/reporting'],
];

export const CHECK = new CommandLine({
  call: 'npm run image:check',
  about: `Performs docker/Dockerfile without an engine, with the Node and the npm of this machine: for each image the stages in clean
folders, then every program of docker/compose.yaml from the results, with its settings and secrets, against PostgreSQL,
Redis and Kafka. Programs run as another user, on a file system that is only read, without a shell.`,
  usage: [
    'npm run image:check                     every image',
    'npm run image:check -- apps/billing     that image, those of what its programs call, and their programs',
  ],
  options: {},
  takesArguments: true,
  ends: 'Exit code 1 when something is wrong: a sentence for each. It needs root, or a kernel that lets users have namespaces.',
  read: (_none, given) => {
    const unknown = given.find((project) => !IMAGES.includes(project));
    if (unknown) throw new BadUsage(`There is no image of ${unknown}: choose from ${IMAGES.join(', ')}.`);
    return { projects: given.length > 0 ? IMAGES.filter((project) => given.includes(project)) : IMAGES };
  },
});
