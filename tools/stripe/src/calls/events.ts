import type { StripeEvent } from '../events/event-log';
import { type Calls } from './call';
import { listed, withinRange } from './listing';
import { Refusal } from '../http/refusal';

/** Events can be asked for during a month. */
const KEPT_SECONDS = 30 * 86_400;

export const EVENT_CALLS: Calls = {
  'GET /v1/events': ({ params, world }) => {
    const type = params.text('type');
    const types = params.texts('types');
    const delivered = params.boolean('delivery_success');
    const created = withinRange(params, 'created');
    const oldest = world.time.seconds - KEPT_SECONDS;
    const wanted = (event: StripeEvent) =>
      event.created >= oldest &&
      created(event.created) &&
      (type === undefined || matches(type, event.type)) &&
      (types.length === 0 || types.some((pattern) => matches(pattern, event.type))) &&
      (delivered === undefined || delivered === (event.pending_webhooks === 0));
    return listed(params, '/v1/events', world.events.all, wanted);
  },
  'GET /v1/events/:id': ({ params, world, id }) => {
    params.finish();
    const event = world.events.all.find((recorded) => recorded.id === id);
    if (!event) throw Refusal.missing('event', id);
    return event;
  },
};

/** `invoice.*` stands for all that begin so. */
function matches(pattern: string, type: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}
