import { BadUsage, CommandLine } from '@evenkeel/platform/command-line';

/** Projects of the images, those of tools first. */
export const IMAGES = [
  'tools/ops',
  'tools/facilitator',
  'tools/stripe',
  'apps/agent-gateway',
  'apps/accounts',
  'apps/billing',
  'apps/reporting',
];

export const CHECK = new CommandLine({
  call: 'npm run image:check',
  about: `Fills a folder for each image as docker/Dockerfile does, without an engine: the compiled project, our libs that it
reaches, and the packages in use. Then starts every program from there, those of services against PostgreSQL, Redis and Kafka:
each must become ready, or end well.`,
  usage: ['npm run image:check                     every image', 'npm run image:check -- apps/billing     that image'],
  options: {},
  takesArguments: true,
  ends: 'Exit code 1 when something is wrong: a sentence for each.',
  read: (_none, given) => {
    const unknown = given.find((project) => !IMAGES.includes(project));
    if (unknown) throw new BadUsage(`There is no image of ${unknown}: choose from ${IMAGES.join(', ')}.`);
    return { projects: given.length > 0 ? IMAGES.filter((project) => given.includes(project)) : IMAGES };
  },
});
