const LOGGER = '-Dorg.slf4j.simpleLogger';
/**
 * Arguments of `java` for a broker, before its classes. They favour a quick start over peak speed: no second compiler,
 * no threads for collecting.
 */
export const BROKER_MACHINE = [
  '-Xmx256m',
  '-XX:TieredStopAtLevel=1',
  '-XX:+UseSerialGC',
  `${LOGGER}.defaultLogLevel=warn`,
  `${LOGGER}.log.kafka.server.KafkaRaftServer=info`,
];
export const BROKER_READY = 'Kafka Server started';

interface KafkaPlaces {
  data: string;
  port: number;
  controllerPort: number;
  advertisedPort?: number;
  secured?: { port: number; keystore: string; login: KafkaLogin };
}

export interface KafkaLogin {
  username: string;
  password: string;
}

/** One node that is broker and controller. Topics come from our set-up command, never by accident. */
export function kafkaProperties({ data, port, controllerPort, advertisedPort, secured }: KafkaPlaces): string {
  const listenerOn = (plain: number): string =>
    `PLAINTEXT://127.0.0.1:${plain}${secured ? `,SECURED://127.0.0.1:${secured.port}` : ''}`;
  const properties = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: `${listenerOn(port)},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': listenerOn(advertisedPort ?? port),
    ...(secured && securedListener(secured)),
    'log.dirs': data,
    'auto.create.topics.enable': false,
    'default.replication.factor': 1,
    'min.insync.replicas': 1,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 1,
    // A broker that was killed is let in again when its session of before is over.
    'broker.session.timeout.ms': 2_000,
    'broker.heartbeat.interval.ms': 500,
    // A record each half second, for followers that there are none of, is a third of what an idle broker does.
    'metadata.max.idle.interval.ms': 10_000,
    // A group of tests is complete when its first member is there.
    'group.initial.rebalance.delay.ms': 0,
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function securedListener({ keystore, login: { username, password } }: NonNullable<KafkaPlaces['secured']>) {
  const login = `required username="${username}" password="${password}" user_${username}="${password}";`;
  return {
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL',
    'sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.secured.ssl.keystore.type': 'PEM',
    'listener.name.secured.ssl.keystore.location': keystore,
    'listener.name.secured.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule ${login}`,
  };
}
