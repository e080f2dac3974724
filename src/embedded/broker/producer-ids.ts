// Producer ids for idempotent producers, taken from blocks that the controller reserves. An id is given out once, ever.

export interface ProducerIdBlock {
  readonly first: number;
  readonly count: number;
}

export class ProducerIds {
  private readonly reserve: () => Promise<ProducerIdBlock>;
  private next = 0;
  private end = 0;
  private refill: Promise<void> | undefined;

  constructor(reserve: () => Promise<ProducerIdBlock>) {
    this.reserve = reserve;
  }

  /** A new id. Throws what reserving a block throws. */
  async take(): Promise<number> {
    while (this.next >= this.end) await this.prepare();
    const id = this.next;
    this.next += 1;
    return id;
  }

  /** Sees to it that there is an id left, so that a controller that is away later does not stop new producers. */
  async prepare(): Promise<void> {
    if (this.next < this.end) return;
    this.refill ??= this.reserveBlock().finally(() => {
      this.refill = undefined;
    });
    await this.refill;
  }

  private async reserveBlock(): Promise<void> {
    const block = await this.reserve();
    this.next = block.first;
    this.end = block.first + block.count;
  }
}
