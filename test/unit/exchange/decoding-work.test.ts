import { describe, expect, it } from "vitest";
import { decodePrefix } from "../../../runtime/http/body-prefix.js";
import { decodeBody } from "../../../runtime/http/content-encoding.js";
import { CodingError } from "../../../runtime/http/fault.js";
import { MAX_BLOCKS, MAX_FRAMES } from "../../../runtime/http/zstd-frames.js";
import { MAX_STEP_TEXT, STEP_BLOCKS, zstdSteps } from "../../../runtime/http/zstd-steps.js";
import { ZstdJobs, type ZstdReply, type ZstdRequest } from "../../../runtime/http/zstd-thread.js";
import {
  EMPTY_FRAME,
  emptyBlocks,
  ONE_BYTE_FRAME,
  SKIPPED_FRAME,
  textOf,
  times,
  WITHOUT_TEXT,
} from "../../support/coded-bodies.js";

const MiB = 1_048_576;

/** Pieces of the text, one for each step. */
const stepsOf = (bytes: Buffer) => [...zstdSteps({ bytes, limit: MiB, beginning: false })];

describe("a step of decoding zstd in JavaScript", () => {
  it.each([
    ["frames of a byte", times(10_000, ONE_BYTE_FRAME), 20_000, 10_000],
    ["empty frames", times(10_000, EMPTY_FRAME), 20_000, 0],
    ["empty blocks", emptyBlocks(10_000), 10_000, 0],
  ])(
    "a decoding step handles a bounded number of frames and blocks, counted over the whole body: %s",
    (_, body, work, text) => {
      const pieces = stepsOf(body);
      expect(pieces.length).toBeGreaterThanOrEqual(work / STEP_BLOCKS);
      expect(Buffer.concat(pieces)).toHaveLength(text);
    },
  );

  it("a decoding step yields a bounded piece of the text", () => {
    // Blocks that repeat a byte 131,072 times (RFC 8878 section 3.1.1.2.2).
    const repeated = Buffer.from("0200106102001061", "hex");
    const body = Buffer.concat([Buffer.from("28b52ffd0058", "hex"), repeated, Buffer.from("010000", "hex")]);
    const pieces = stepsOf(body);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(MAX_STEP_TEXT);
    expect(Buffer.concat(pieces).equals(Buffer.alloc(2 * 131_072, "a"))).toBe(true);
  });
});

describe("the limits of a zstd body", () => {
  it.each([
    ["frames", times(MAX_FRAMES, ONE_BYTE_FRAME), times(MAX_FRAMES + 1, ONE_BYTE_FRAME)],
    ["skipped frames", times(MAX_FRAMES, SKIPPED_FRAME), times(MAX_FRAMES + 1, SKIPPED_FRAME)],
    ["blocks", emptyBlocks(MAX_BLOCKS - 1), emptyBlocks(MAX_BLOCKS)],
    [
      "blocks of all frames together",
      times(MAX_BLOCKS / 2_048, emptyBlocks(2_047)),
      times(MAX_BLOCKS / 2_048, emptyBlocks(2_048)),
    ],
  ])("a zstd body has a limit for the whole body: %s", (_, most, tooMany) => {
    expect(() => stepsOf(most)).not.toThrow();
    expect(() => stepsOf(tooMany)).toThrow(CodingError);
  });

  it("a zstd body has a limit for the total time of its steps", () => {
    const answers: ZstdReply[] = [];
    let now = 0;
    const jobs = new ZstdJobs(
      (answer) => answers.push(answer),
      () => (now += 3_000),
    );
    const bytes = times(1_000, ONE_BYTE_FRAME);
    jobs.asked({ id: 1, begin: { bytes, limit: MiB, beginning: false } });
    for (let more = 0; more < 5; more++) jobs.asked({ id: 1, next: true });
    expect(answers.map((answer) => Object.keys(answer)[1])).toEqual(["piece", "piece", "piece", "fault"]);
    expect(answers.at(-1)).toMatchObject({ fault: "decoding the zstd body takes too long", oversize: false });
  });
});

describe("bodies that are decoded in a thread", () => {
  const begin = (id: number, bytes: Buffer): ZstdRequest => ({
    id,
    begin: { bytes, limit: MiB, beginning: false },
  });

  it("the decoder thread performs one step of a body for each message", () => {
    const answers: number[] = [];
    const jobs = new ZstdJobs(({ id }) => answers.push(id));
    jobs.asked(begin(1, times(1_000, ONE_BYTE_FRAME)));
    jobs.asked(begin(2, times(1_000, ONE_BYTE_FRAME)));
    for (const id of [1, 2, 2, 1]) jobs.asked({ id, next: true });
    expect(answers).toEqual([1, 2, 1, 2, 2, 1]);
  });

  it("the decoder thread drops a body that is stopped", () => {
    const answers: ZstdReply[] = [];
    const jobs = new ZstdJobs((answer) => answers.push(answer));
    jobs.asked(begin(1, times(1_000, ONE_BYTE_FRAME)));
    jobs.asked({ id: 1, stop: true });
    jobs.asked({ id: 1, next: true });
    expect(answers).toHaveLength(1);
  });

  it("the decoder thread decodes twelve zstd bodies at a time without mixing them", async () => {
    const frame = (text: Buffer) => {
      const header = Buffer.from("28b52ffda000000000", "hex");
      header.writeUInt32LE(text.length, 5);
      const blocks: Buffer[] = [];
      for (let at = 0; at < text.length; at += 131_072) {
        const block = text.subarray(at, at + 131_072);
        const head = Buffer.alloc(3);
        head.writeUIntLE((block.length << 3) | (at + 131_072 >= text.length ? 1 : 0), 0, 3);
        blocks.push(head, block);
      }
      return Buffer.concat([header, ...blocks]);
    };
    const texts = Array.from({ length: 12 }, (_, i) => textOf(400_000 + i));
    const decoded = await Promise.all(texts.map((text) => decodeBody("zstd", [frame(text)], MiB)));
    for (const [i, text] of texts.entries()) expect(Buffer.concat(decoded[i] ?? []).equals(text)).toBe(true);
  });
});

describe.each(WITHOUT_TEXT)("a body of coding %s that is nothing but empty %s", (coding, _, make) => {
  it("a body without text is decoded if it is short", async () => {
    expect(Buffer.concat(await decodeBody(coding, [make(1_000)], MiB))).toHaveLength(0);
    expect(await decodePrefix(coding, make(1_000), MiB)).toMatchObject({ whole: true });
  });

  it("a body without text is rejected if it is long, for a filter and for a log", async () => {
    await expect(decodeBody(coding, [make(MiB)], MiB)).rejects.toThrow(CodingError);
    await expect(decodePrefix(coding, make(MiB), MiB)).rejects.toThrow(CodingError);
  });
});
