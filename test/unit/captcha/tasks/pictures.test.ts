import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { TaskAnswer } from "../../../../plugins/captcha/service/contract.js";
import { drawAnswer, render } from "../../../../plugins/captcha/service/tasks/render.js";
import { testTask } from "../../../../plugins/captcha/service/tasks/tasks.js";
import { chunksOf, decodePng, indexesOf } from "../../../support/png.js";

const seed = (text: string | number) => createHash("sha256").update(`${text}`).digest().subarray(0, 16);
const ANSWERS: TaskAnswer[] = [
  { type: "shapes", cells: [7, 0, 4] },
  { type: "rings", angles: [40, 222, 90, 300] },
  { type: "text", text: "DFGJL" },
];
const drawn = (answer: TaskAnswer, text: string | number, level: 0 | 1 | 2 = 0) =>
  render(answer, level, seed(text)).map((part) => ({ ...part, body: Buffer.from(part.bytes) }));
const bytesOf = (answer: TaskAnswer, text: string | number) =>
  Buffer.concat(drawn(answer, text).map(({ body }) => body));

/** Pearson's r. */
function correlation(one: readonly number[], other: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const [a, b] = [mean(one), mean(other)];
  const spread = (values: readonly number[], middle: number) =>
    Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0));
  const both = one.reduce((sum, value, i) => sum + (value - a) * ((other[i] ?? 0) - b), 0);
  return both / (spread(one, a) * spread(other, b) || 1);
}

describe("the pictures of tasks", () => {
  it("[A39] the same seed draws the same bytes, another seed other ones", () => {
    for (const answer of ANSWERS) {
      expect(bytesOf(answer, "one")).toEqual(bytesOf(answer, "one"));
      const others = new Set(Array.from({ length: 8 }, (_, i) => bytesOf(answer, i).toString("base64")));
      expect(others.size).toBe(8);
    }
  });

  it("[A38] [A39] pictures hold no text, time or other chunk beside their pixels, and always the same chunks", () => {
    for (const answer of ANSWERS)
      for (const level of [0, 1, 2] as const)
        for (const { body } of drawn(answer, "chunks", level)) {
          const types = chunksOf(body).map(({ type }) => type);
          const transparent = answer.type === "rings" ? ["tRNS"] : [];
          expect(types).toEqual(["IHDR", "PLTE", ...transparent, "IDAT", "IEND"]);
        }
  });

  it("[A38] parts, names, sizes and chunks of pictures do not depend on the answer", () => {
    for (const type of ["shapes", "rings", "text"] as const) {
      const outside = Array.from({ length: 12 }, (_, n) =>
        drawn(drawAnswer(type, 0), n).map(({ body, bytes: _bytes, ...part }) => [
          part,
          ...chunksOf(body).map((chunk) => [chunk.type, chunk.type === "IDAT" ? 0 : chunk.data.length]),
        ]),
      );
      expect(new Set(outside.map((one) => JSON.stringify(one))).size).toBe(1);
    }
  });

  it("[A38] pictures do not hold the answer as text or numbers", () => {
    for (const [answer, forms] of [
      [{ type: "text", text: "QWZRS" }, ["QWZRS", "qwzrs"]],
      [{ type: "shapes", cells: [11, 2, 9] }, ["11,2,9", "cells", "shapes"]],
      [{ type: "rings", angles: [123, 321, 132, 231] }, ["123,321", "angles", "rings"]],
    ] as [TaskAnswer, string[]][])
      for (let n = 0; n < 5; n++) {
        const bytes = bytesOf(answer, n).toString("latin1");
        for (const form of forms) expect(bytes.includes(form)).toBe(false);
      }
  });

  it("[A38] the byte lengths of pictures do not correlate with the answer", () => {
    const lengths = (type: "shapes" | "rings") =>
      Array.from({ length: 60 }, (_, n) => {
        const answer = drawAnswer(type, 0);
        return { answer, bytes: drawn(answer, n).map(({ body }) => body.length) };
      });
    const told: number[] = [];
    const shapes = lengths("shapes");
    for (const part of [0, 1])
      for (const place of [0, 1, 2])
        told.push(
          correlation(
            shapes.map(({ bytes }) => bytes[part] ?? 0),
            shapes.map(({ answer }) => (answer.type === "shapes" ? (answer.cells[place] ?? 0) : 0)),
          ),
        );
    const rings = lengths("rings");
    for (const part of [0, 1, 2, 3])
      for (const wave of [Math.sin, Math.cos])
        told.push(
          correlation(
            rings.map(({ bytes }) => bytes[part] ?? 0),
            rings.map(({ answer }) =>
              answer.type === "rings" ? wave(((answer.angles[part] ?? 0) * Math.PI) / 180) : 0,
            ),
          ),
        );
    // |r| of 60 pairs without correlation is above 0.6 less than once in a million times.
    expect(Math.max(...told.map(Math.abs))).toBeLessThan(0.6);
  });

  it("the pictures of a task have twice the pixels of their size and fewer than 110,000 bytes together", () => {
    for (const answer of ANSWERS) {
      const parts = drawn(answer, "size");
      for (const { body, width, height } of parts) {
        const pixels = indexesOf(body);
        expect([pixels.width, pixels.height]).toEqual([(width ?? 0) * 2, (height ?? 0) * 2]);
      }
      expect(parts.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThan(110_000);
    }
  });

  it("ring pictures are transparent outside a ring and opaque inside", () => {
    for (const { body } of drawn(ANSWERS[1] as TaskAnswer, "clear")) {
      const { width, rgba } = decodePng(body);
      const opacity = (radius: number) => rgba[((width / 2) * width + width / 2 + radius * 2) * 4 + 3];
      expect([0, 40, 55].map(opacity)).toEqual([255, 255, 255]);
      expect(rgba[3]).toBe(0);
    }
  });

  it("a thing and its ground have a contrast above 3:1 in every palette", () => {
    for (let n = 0; n < 24; n++) {
      const [grid] = drawn({ type: "shapes", cells: [1, 2, 3] }, `palette ${n}`);
      const palette = chunksOf(grid?.body ?? Buffer.alloc(0)).find(({ type }) => type === "PLTE")?.data;
      const luminance = (level: number) => {
        const [r = 0, g = 0, b = 0] = [...(palette?.subarray(level * 3, level * 3 + 3) ?? [])].map((byte) => {
          const share = byte / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      // Edges are at levels 0..4, grounds at 25..31.
      expect((luminance(25) + 0.05) / (luminance(4) + 0.05)).toBeGreaterThan(3);
    }
  });

  it("the task of the test key never changes, and its first three cells are the answer", () => {
    const task = testTask();
    expect(task).toEqual(testTask());
    expect(task.answer).toEqual({ type: "shapes", cells: [0, 1, 2] });
    expect(task.parts.map(({ name, kind, width, height }) => [name, kind, width, height])).toEqual([
      ["grid", "png", 360, 240],
      ["strip", "png", 360, 72],
    ]);
    expect(task.count).toBe(3);
  });
});
