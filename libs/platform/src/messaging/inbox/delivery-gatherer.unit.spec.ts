import type { ReceivedMessage } from '../cloud-events';
import { DeliveryGatherer } from './delivery-gatherer';

const delivery = (partition: number, size = 1): ReceivedMessage[] =>
  Array.from({ length: size }, (_, index) => ({
    topic: 'boxes.v1',
    partition,
    offset: String(index),
    key: `box-${partition}`,
    headers: {},
    value: '',
  }));

/** Replaces the inbox and refuses whatever is in a transaction with a partition of these. */
class Transactions {
  readonly partitions: number[][] = [];
  readonly sizes: number[] = [];
  readonly refused = new Set<number>();
  readonly gatherer = new DeliveryGatherer(async (messages) => {
    const partitions = [...new Set(messages.map(({ partition }) => partition))];
    this.partitions.push(partitions);
    this.sizes.push(messages.length);
    await new Promise(setImmediate);
    if (partitions.some((partition) => this.refused.has(partition))) throw new Error('does not fit');
  });
}

describe('deliveries', () => {
  it('that wait at the same moment share a transaction', async () => {
    const { gatherer, partitions } = new Transactions();
    await Promise.all([1, 2, 3, 4, 5].map((partition) => gatherer.add(delivery(partition))));
    await gatherer.add(delivery(6));
    expect(partitions).toEqual([[1, 2, 3, 4, 5], [6]]);
  });

  it('are not made larger than a batch together', async () => {
    const { gatherer, sizes } = new Transactions();
    await Promise.all([300, 200, 1, 500].map((size, partition) => gatherer.add(delivery(partition, size))));
    expect(sizes).toEqual([500, 1, 500]);
  });

  it('fail alone: the others of the transaction are applied in their own', async () => {
    const { gatherer, partitions, refused } = new Transactions();
    refused.add(2);
    const ends = await Promise.allSettled([1, 2, 3].map((partition) => gatherer.add(delivery(partition))));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(partitions).toEqual([[1, 2, 3], [1], [2], [3]]);
  });
});
