export { CommandLine, type CommandDeclaration } from './command-line';
export {
  BadUsage,
  choice,
  choices,
  decimal,
  flag,
  integer,
  oneArgument,
  oneOf,
  text,
  type Option,
  type ValuesOf,
} from './options';
export { runCommand, startCommand, withModule, type ExitCodes, type Streams } from './run-command';
export { operatorOf } from './operator';
