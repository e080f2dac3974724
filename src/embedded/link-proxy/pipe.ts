// One direction of a link: from one socket through the stages to the other. With no stage a chunk is written as it was read.
// The sender is paused while the receiver, or a stage, holds more than it should.
import type { Socket } from 'node:net';
import type { LinkEnd, Stage, StageContext, StageOutput, Toxic } from './stage.ts';

interface Node {
  readonly toxicName: string;
  readonly stage: Stage;
  next: Node | undefined;
}

export class Pipe {
  readonly #source: Socket;
  readonly #sink: Socket;
  readonly #endLink: (how: LinkEnd) => void;
  #first: Node | undefined;
  #paused = false;
  #closed = false;
  /** Bytes read from the sender. */
  receivedBytes = 0;
  /** Bytes handed to the receiver. */
  passedBytes = 0;

  constructor(source: Socket, sink: Socket, endLink: (how: LinkEnd) => void) {
    this.#source = source;
    this.#sink = sink;
    this.#endLink = endLink;
  }

  /** Begins to read; both sockets are connected. */
  start(): void {
    this.#sink.on('drain', () => this.#regulate());
    this.#source.on('end', () => {
      if (this.#first === undefined) this.#end();
      else this.#first.stage.end();
    });
    this.#source.on('data', (chunk: Buffer) => {
      this.receivedBytes += chunk.length;
      if (this.#first === undefined) this.#write(chunk);
      else this.#first.stage.write(chunk);
      this.#regulate();
    });
    this.#source.resume();
  }

  /** Adds a stage behind those that are there. */
  add(toxic: Toxic, context: StageContext): void {
    const last = this.#nodes().at(-1);
    const output: StageOutput = {
      write: (chunk) => {
        if (node.next === undefined) this.#write(chunk);
        else node.next.stage.write(chunk);
      },
      end: () => {
        if (node.next === undefined) this.#end();
        else node.next.stage.end();
      },
      endLink: (how) => this.#endLink(how),
      released: () => this.#regulate(),
    };
    const stage = toxic.type.createStage(toxic.attributes, output, context);
    const node: Node = { toxicName: toxic.name, stage, next: undefined };
    if (last === undefined) this.#first = node;
    else last.next = node;
  }

  has(toxicName: string): boolean {
    return this.#nodes().some((node) => node.toxicName === toxicName);
  }

  update(toxic: Toxic): void {
    for (const { toxicName, stage } of this.#nodes()) if (toxicName === toxic.name) stage.update(toxic.attributes);
  }

  remove(toxicName: string): void {
    const nodes = this.#nodes();
    const index = nodes.findIndex((node) => node.toxicName === toxicName);
    const node = nodes[index];
    if (node === undefined) return;
    node.stage.remove();
    node.stage.dispose();
    if (this.#closed) return;
    const before = nodes[index - 1];
    if (before === undefined) this.#first = node.next;
    else before.next = node.next;
    this.#regulate();
  }

  /** Stops the stages; nothing is passed any more. */
  close(): void {
    this.#closed = true;
    for (const { stage } of this.#nodes()) stage.dispose();
    this.#first = undefined;
  }

  #nodes(): readonly Node[] {
    const nodes: Node[] = [];
    for (let node = this.#first; node !== undefined; node = node.next) nodes.push(node);
    return nodes;
  }

  #write(chunk: Buffer): void {
    if (this.#closed || this.#sink.writableEnded) return;
    this.passedBytes += chunk.length;
    this.#sink.write(chunk);
  }

  #end(): void {
    if (!this.#closed) this.#sink.end();
  }

  #regulate(): void {
    if (this.#closed) return;
    let full = this.#sink.writableNeedDrain;
    for (let node = this.#first; node !== undefined && !full; node = node.next) {
      full = node.stage.heldBytes > node.stage.holdLimitBytes;
    }
    if (full === this.#paused) return;
    this.#paused = full;
    if (full) this.#source.pause();
    else this.#source.resume();
  }
}
