import { describe, expect, it } from "vitest";
import {
  type BrokerClient,
  type BrokerRecord,
  type Partition,
  ProduceError,
  type ProduceFailure,
} from "../../../plugins/broker-logger/runtime/client.js";
import { partitionOf } from "../../../plugins/broker-logger/runtime/partition.js";
import { BrokerSink } from "../../../plugins/broker-logger/runtime/sink.js";
import { type LogEntry, SendError } from "../../../runtime/abi/delivery.js";

/** A cluster with scripted responses that records the accepted records. */
class ScriptedClient implements BrokerClient {
  readonly taken: { partition: number; values: string[] }[] = [];
  requests = 0;
  closed = false;
  refuse: (partition: number, values: string[]) => ProduceFailure | undefined = () => undefined;

  async partitions(): Promise<readonly Partition[]> {
    return [0, 1].map((id) => ({ id, leader: 1 }));
  }

  async produce(partition: number, records: readonly BrokerRecord[]): Promise<void> {
    this.requests++;
    const values = records.map(({ value }) => value.toString("latin1"));
    const failure = this.refuse(partition, values);
    if (failure) throw new ProduceError(`answer: ${failure}`, failure);
    this.taken.push({ partition, values });
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  get values(): string[] {
    return this.taken.flatMap(({ values }) => values);
  }
}

const sinkOn = (client: BrokerClient, batchNum = 2, batchSize = 1_000_000) =>
  new BrokerSink(client, { topic: "logs", batchNum, batchSize }, 0);
const failureOf = async (sending: Promise<void>): Promise<SendError> => {
  const error: unknown = await sending.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SendError);
  return error as SendError;
};
/** Keys whose partition among two is 0 and 1. */
const keyOf = (partition: number) =>
  ["a", "b", "c", "d", "e"].find((key) => partitionOf(Buffer.from(key), 2) === partition) ?? "";
const entry = (payload: string, partition: number): LogEntry => ({ payload, key: keyOf(partition) });

describe("batches to the brokers", () => {
  it("a batch is sent in requests of producer_batch_num records, in order within a partition", async () => {
    const client = new ScriptedClient();
    await sinkOn(client).send([..."012345"].map((text, i) => entry(text, i % 2)));
    const of = (partition: number) => client.taken.filter((request) => request.partition === partition);
    expect(of(0).map(({ values }) => values)).toEqual([["0", "2"], ["4"]]);
    expect(of(1).map(({ values }) => values)).toEqual([["1", "3"], ["5"]]);
  });

  it("producer_batch_size 0 sends one record in each request", async () => {
    const client = new ScriptedClient();
    await sinkOn(client, 100, 0).send([entry("a", 0), entry("b", 0), entry("c", 0)]);
    expect(client.taken.map(({ values }) => values)).toEqual([["a"], ["b"], ["c"]]);
  });

  it("a retry delivers a batch, and no accepted record is sent twice", async () => {
    const client = new ScriptedClient();
    let failures = 3;
    client.refuse = (partition) => (partition === 1 && failures-- > 0 ? "retry" : undefined);
    await sinkOn(client).send([..."0123"].map((text, i) => entry(text, i % 2)));
    expect(client.values.toSorted()).toEqual(["0", "1", "2", "3"]);
  });

  it("a failed batch reports its progress, and a retry omits records accepted after the failure", async () => {
    const client = new ScriptedClient();
    client.refuse = (partition) => (partition === 1 ? "settings" : undefined);
    const sink = sinkOn(client);
    const entries = [..."0123"].map((text, i) => entry(text, i % 2));
    const error = await failureOf(sink.send(entries));
    expect(error).toMatchObject({ delivered: 1, refused: [] });
    expect(error.message).toBe("topic logs: 2 records were not accepted: answer: settings");
    client.refuse = () => undefined;
    await sink.send(entries.slice(error.delivered));
    expect(client.values.toSorted()).toEqual(["0", "1", "2", "3"]);
  });

  it("a batch is halved until the records that are too large are found", async () => {
    const client = new ScriptedClient();
    client.refuse = (_, values) => (values.includes("large") ? "large" : undefined);
    const entries = ["0", "large", "2", "3", "large", "5"].map((text) => entry(text, 0));
    const error = await failureOf(sinkOn(client, 6).send(entries));
    expect(error).toMatchObject({ delivered: 1, refused: [1, 4] });
    expect(client.values).toEqual(["0", "2", "3", "5"]);
  });

  it("a failure that only new settings can mend is not retried", async () => {
    const client = new ScriptedClient();
    client.refuse = () => "settings";
    await failureOf(sinkOn(client).send([entry("0", 0)]));
    expect(client.requests).toBe(1);
  });

  it("a closing sink gives up a batch in its middle", async () => {
    const client = new ScriptedClient();
    const sink = new BrokerSink(client, { topic: "logs", batchNum: 2, batchSize: 1000 }, 60_000);
    client.refuse = () => "retry";
    const failed = failureOf(sink.send([entry("0", 0)]));
    await new Promise((resolve) => setImmediate(resolve));
    await sink.close();
    expect(await failed).toMatchObject({ delivered: 0 });
    expect(client.closed).toBe(true);
  });
});
