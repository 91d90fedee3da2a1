import { describe, expect, it } from "vitest";
import { murmur2, partitionOf, Rotation } from "../../../plugins/broker-logger/runtime/partition.js";

describe("partition of a key", () => {
  // org.apache.kafka.common.utils.UtilsTest#testMurmur2
  it.each([
    ["21", -973932308],
    ["foobar", -790332482],
    ["a-little-bit-long-string", -985981536],
    ["a-little-bit-longer-string", -1486304829],
    ["lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971],
    ["abc", 479470107],
  ])("murmur2 hashes %s as the Java client does", (text, hash) => {
    expect(murmur2(Buffer.from(text))).toBe(hash);
  });

  it("a partition is never negative", () => {
    expect(partitionOf(Buffer.from("21"), 7)).toBe((-973932308 & 0x7fffffff) % 7);
  });
});

describe("rotation of records without a key", () => {
  it("the rotation skips partitions without a leader", () => {
    const rotation = new Rotation();
    const partitions = [
      { id: 0, leader: 1 },
      { id: 1, leader: -1 },
      { id: 2, leader: 2 },
    ];
    const turns = [1, 2, 3, 4].map(() => rotation.next(partitions));
    expect(turns.toSorted()).toEqual([0, 0, 2, 2]);
  });

  it("the rotation uses all partitions when none has a leader", () => {
    expect(new Rotation().next([{ id: 4, leader: -1 }])).toBe(4);
  });
});
