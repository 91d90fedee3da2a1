import { expect, it } from "vitest";
import { portSource } from "../../support/ports.js";

it("four port sources never give the same port twice", async () => {
  const sources = Array.from({ length: 4 }, portSource);
  const ports = await Promise.all(
    sources.map((source) => Promise.all(Array.from({ length: 100 }, () => source()))),
  );
  expect(new Set(ports.flat()).size).toBe(4 * 100);
});
