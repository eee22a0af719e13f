import { schemaOf, type EventClass } from '@evenkeel/contracts';
import { compileValidator } from '../validation';

/** Data that does not fit its class. The sentence does not repeat it. */
export class InvalidEventData extends Error {
  override readonly name = 'InvalidEventData';

  constructor(type: string) {
    super(`the data of ${type} does not fit its class`);
  }
}

/** Compares data with the decorators of its class, compiled once. Members that the class does not have are ignored. */
export class EventReader {
  private readonly validators = new Map<EventClass, (data: unknown) => boolean>();

  /** @throws InvalidEventData */
  check(event: EventClass, data: unknown): void {
    let fits = this.validators.get(event);
    if (!fits) this.validators.set(event, (fits = compileValidator(schemaOf(event, { closed: false }))));
    if (!fits(data)) throw new InvalidEventData(event.type);
  }
}
