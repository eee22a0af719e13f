export { Argument, Command, InvalidArgumentError, Option, type OptionValues } from '@commander-js/extra-typings';
export { decimalOption, integerOption, readInstant } from './options';
export {
  operatorOf,
  runCommand,
  startCommand,
  withModule,
  type Streams,
  type Typed,
  type TypedFor,
} from './run-command';
