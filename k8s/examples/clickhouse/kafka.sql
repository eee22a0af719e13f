-- A group of its own reads the topic from its first event; the CloudEvents members are headers of the message.
CREATE TABLE payments_stream (data String)
ENGINE = Kafka
SETTINGS
    kafka_broker_list = 'kafka-kafka-bootstrap.evenkeel-backing.svc:9092',
    kafka_topic_list = 'evenkeel.payments.v1',
    kafka_group_name = 'clickhouse.payments',
    kafka_format = 'JSONAsString',
    kafka_security_protocol = 'sasl_ssl',
    kafka_sasl_mechanism = 'SCRAM-SHA-512',
    kafka_sasl_username = 'clickhouse',
    kafka_sasl_password = '…';

CREATE MATERIALIZED VIEW payments_from_stream TO payment_events AS
SELECT
    toUUID(_headers.value[indexOf(_headers.name, 'ce_id')])                                AS id,
    _headers.value[indexOf(_headers.name, 'ce_type')]                                      AS type,
    _key                                                                                   AS wallet,
    parseDateTime64BestEffort(_headers.value[indexOf(_headers.name, 'ce_time')], 3, 'UTC') AS at,
    data
FROM payments_stream
WHERE type != 'stream.heartbeat';
