import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { combine } from "../../../plugins/captcha/service/score/combine.js";
import { SIGNALS, type SignalCode, type SignalWeight } from "../../../plugins/captcha/service/score/model.js";
import { fingerprintOf, telemetryOf } from "../../../plugins/captcha/service/score/telemetry.js";
import { trailScore } from "../../../plugins/captcha/service/score/trail.js";

const codes = Object.keys(SIGNALS) as SignalCode[];
const weightOf = (code: SignalCode): SignalWeight => SIGNALS[code];
const evidence = fc.constantFrom(...codes);
const some = fc.array(evidence, { maxLength: 20 });
const telemetry = fc.record({
  v: fc.constant(1),
  marks: fc.subarray(["webdriver", "driver_global", "zero_window"]),
  contradictions: fc.subarray(["platform", "software_renderer"]),
  activation: fc.record({
    kind: fc.constantFrom("mouse", "touch", "pen", "keyboard", "assistive"),
    trusted: fc.boolean(),
    samples: fc.nat(60),
    path_ratio: fc.double({ min: 0, max: 100, noNaN: true }),
    speed_variation: fc.double({ min: 0, max: 100, noNaN: true }),
    turns: fc.nat(60),
    pause_ms: fc.nat(10_000),
    press_ms: fc.nat(10_000),
    off_centre: fc.nat(100),
    radius: fc.nat(50),
  }),
  load_to_tick_ms: fc.nat(1_000_000),
  hidden_at_tick: fc.boolean(),
  focused: fc.boolean(),
  visible: fc.option(fc.boolean()),
});

describe("the combination of evidence", () => {
  it("[W6] a score is between 0 and 1, and 0 without evidence", () => {
    fc.assert(
      fc.property(some, fc.boolean(), (all, human) => {
        const { score } = combine(all, human);
        expect(score >= 0 && score <= 1).toBe(true);
      }),
    );
    expect(combine([], false)).toEqual({ score: 0, reasons: [] });
  });

  it("[W6] a score never falls when evidence is added", () => {
    fc.assert(
      fc.property(some, evidence, fc.boolean(), (all, more, human) => {
        expect(combine([...all, more], human).score).toBeGreaterThanOrEqual(combine(all, human).score);
      }),
    );
  });

  it("[W6] a score is never below a floor, nor below the weight of a single signal less the credit", () => {
    fc.assert(
      fc.property(some, fc.boolean(), (all, human) => {
        const { score } = combine(all, human);
        for (const code of all) {
          const { weight, floor = 0 } = weightOf(code);
          expect(score).toBeGreaterThanOrEqual(floor);
          expect(score).toBeGreaterThanOrEqual(weight * 0.75 - 1e-4);
        }
      }),
    );
  });

  it("a score depends neither on the order nor on repetitions of evidence", () => {
    fc.assert(
      fc.property(some, fc.boolean(), (all, human) => {
        const shown = combine(all, human);
        expect(combine([...all].reverse(), human)).toEqual(shown);
        expect(combine([...all, ...all], human)).toEqual(shown);
      }),
    );
  });

  it("a mark of automation cancels the credit for a person", () => {
    fc.assert(
      fc.property(some, (all) => {
        const marked = all.some((code) => weightOf(code).group === "A");
        const [plain, credited] = [combine(all, false).score, combine(all, true).score];
        if (marked) expect(credited).toBe(plain);
        else expect(credited).toBeLessThanOrEqual(plain);
      }),
    );
  });

  it("a score has at most 8 reasons, the heaviest first", () => {
    fc.assert(
      fc.property(some, (all) => {
        const weights = combine(all, false).reasons.map(({ weight }) => weight);
        expect(weights.length).toBeLessThanOrEqual(8);
        expect(weights).toEqual([...weights].sort((a, b) => b - a));
      }),
    );
  });
});

describe("telemetry", () => {
  it("telemetry of the frame's form is accepted unchanged", () => {
    fc.assert(fc.property(telemetry, (value) => void expect(telemetryOf(value)).toBe(value)));
  });

  it("[A32] telemetry of any other form is rejected without an exception", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }), (value) => {
        expect(telemetryOf(value)).toBeUndefined();
      }),
    );
  });

  it("[A32] telemetry with a replaced or added field is rejected", () => {
    const other = fc.oneof(
      fc.constantFrom(null, undefined, {}, [], "x", Number.NaN, Number.POSITIVE_INFINITY, -1),
      fc.string(),
    );
    const names = [
      "v",
      "marks",
      "contradictions",
      "activation",
      "load_to_tick_ms",
      "hidden_at_tick",
      "focused",
      "x",
    ];
    fc.assert(
      fc.property(telemetry, fc.constantFrom(...names), other, (value, name, bad) => {
        const empty = Array.isArray(bad) && (name === "marks" || name === "contradictions");
        const absent = name === "x" && bad === undefined;
        if (empty || absent) return;
        expect(telemetryOf({ ...value, [name]: bad })).toBeUndefined();
      }),
    );
  });

  it("[A32] telemetry has one fingerprint, whatever the order of its fields", () => {
    fc.assert(
      fc.property(telemetry, (value) => {
        const seen = telemetryOf(value);
        const turned = telemetryOf({
          ...Object.fromEntries(Object.entries(value).reverse()),
          activation: Object.fromEntries(Object.entries(value.activation).reverse()),
        });
        if (seen === undefined || turned === undefined) throw new Error("not taken");
        expect(fingerprintOf(turned)).toEqual(fingerprintOf(seen));
      }),
    );
  });
});

describe("the second score", () => {
  it("the score of a trail is a number between 0 and 1 for any trail", () => {
    const trail = fc.record({
      steps: fc.array(fc.double({ min: 0, max: 3_600_000, noNaN: true }), { maxLength: 30 }),
      input: fc.constantFrom("mouse", "touch", "pen", "keyboard", "assistive", "mixed"),
      trusted: fc.double({ min: 0, max: 1, noNaN: true }),
      pointer_samples: fc.nat(1_000_000),
    });
    fc.assert(
      fc.property(trail, (value) => {
        const { score } = trailScore(value);
        expect(score >= 0 && score <= 1).toBe(true);
      }),
    );
  });
});
