import type { Class } from '../schema/json-schema';

/** A class of data that one service tells others; its fields are decorated as those of a body. */
export interface EventClass<Data extends object = object> extends Class<Data> {
  /** CloudEvents type: thing, past fact. */
  readonly type: string;
  /** Topic, with its version. */
  readonly stream: string;
}
