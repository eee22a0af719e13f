import { KafkaJSDeleteGroupsError, type Kafka } from 'kafkajs';

const NEVER_HEARD_OF = 'GROUP_ID_NOT_FOUND';

/** Forgets what a group has read. @throws when a member of the group is running */
export async function forgetGroup(kafka: Kafka, groupId: string): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    await admin.deleteGroups([groupId]);
  } catch (error) {
    const failures = error instanceof KafkaJSDeleteGroupsError ? error.groups : undefined;
    if (!failures?.every(({ error: cause }) => cause?.type === NEVER_HEARD_OF)) throw error;
  } finally {
    await admin.disconnect();
  }
}
