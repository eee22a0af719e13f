import { CommandLine, integer } from '@evenkeel/platform/command-line';

export const REHEARSE = new CommandLine({
  call: 'npm run restore:rehearse',
  about: `Starts a cluster of its own, dumps its four databases under load, lets the load go on, loses PostgreSQL and Kafka, and
restores it in the order of docs/operations/database.md. Payments made after the dumps must be named by reconcile, buyers who
repeat them must not be charged again, plans bought since must come back, and all books must say the same in the end.`,
  usage: ['npm run restore:rehearse -- [options]            3 minutes'],
  options: {
    rate: integer({ help: 'requests a second', from: 1, to: 1_000, fallback: 20 }),
    seconds: integer({ help: 'of load before the dumps, and again after them', from: 1, to: 600, fallback: 15 }),
  },
  environment: {
    PORT: 'of the edge, on 127.0.0.1 (8080)',
    DATA_DIR: 'where the output of all processes is (.data)',
  },
  ends: 'Ends with 1 and a sentence for each thing that was lost unnoticed, is double, or contradicts another.',
  read: (values) => values,
});
