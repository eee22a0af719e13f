import fc from 'fast-check';
import { Partitioners, type PartitionMetadata } from 'kafkajs';
import { keyPartitioner } from './kafka-publisher';

const partitionMetadata = Array.from({ length: 12 }, () => ({ leader: 1 }) as PartitionMetadata);

describe('the partition of a key', () => {
  it('is the one that kafkajs and all others give it', () => {
    const [ours, theirs] = [keyPartitioner(), Partitioners.DefaultPartitioner()];
    const sameFor = (key: string): void => {
      const asked = { topic: 'any', partitionMetadata, message: { key, value: null } };
      expect(ours(asked)).toBe(theirs(asked));
    };
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.uuid()), sameFor), { numRuns: 1_000 });
  });

  it('has not changed: events of one key would lose their order', () => {
    const ours = keyPartitioner();
    const partitionOf = (key: string) => ours({ topic: 'any', partitionMetadata, message: { key, value: null } });
    expect(['', 'a', '0x00000000000000000000000000000000000000ff', 'Schlüssel'].map(partitionOf)).toEqual([9, 4, 8, 4]);
  });
});
