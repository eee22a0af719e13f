export { CommandLine } from './command-line';
export { BadUsage, choice, choices, decimal, flag, integer, oneArgument, oneOf, text, type Option } from './options';
export { operatorOf, runCommand, startCommand, withModule, type Streams } from './run-command';
