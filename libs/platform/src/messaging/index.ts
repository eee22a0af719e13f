export { type EventEnvelope, type EventMessage, type Heartbeat, type ReceivedMessage } from './cloud-events';
export { EventTransport } from './event-transport.port';
export { CONSUMER_CRASH_POINTS, type ConsumerCrashPoint, type EventBatchConsumer } from './inbox/inbox';
export { createInbox, dropInbox } from './inbox/inbox-rows';
export { Subscription, type SubscriptionOptions } from './inbox/subscription';
export { InProcessBroker } from './in-process/in-process-broker';
export { requestReplay } from './inbox/parked-events';
export { openTransport } from './open-transport';
export { announce, insertIntoOutbox, type Announcement } from './outbox/outbox';
export { OutboxRelay, RELAY_CRASH_POINTS, type OutboxRelayOptions, type RelayCrashPoint } from './outbox/outbox-relay';
export { OutboxRelayModule } from './outbox/outbox-relay.module';
export { createOutbox, createUnnumberedOutbox, dropOutbox, dropUnnumberedOutbox } from './outbox/outbox-tables';
export { FollowStreamModule, streamsReadiness } from '../projection/follow-stream.module';
export { FollowStream } from '../projection/follow-stream';
export {
  countApplied,
  createProgress,
  dropProgress,
  RestartProjection,
  type HeartbeatStore,
  type Projection,
} from '../projection/projection';
