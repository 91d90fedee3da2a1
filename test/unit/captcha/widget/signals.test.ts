import { describe, expect, it } from "vitest";
import {
  type Environment,
  findContradictions,
} from "../../../../plugins/captcha/widget/telemetry/contradictions.js";
import { PointerPath } from "../../../../plugins/captcha/widget/telemetry/path.js";

const CHROME: Environment = {
  userAgent:
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  platform: "Win32",
  hintsPlatform: "Windows",
  hasChromeObject: true,
  productSub: "20030107",
  evalLength: 33,
  languages: 2,
  renderer: "ANGLE (NVIDIA)",
  touchPoints: 0,
  plugins: 5,
};
const FIREFOX: Environment = {
  ...CHROME,
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
  platform: "Linux x86_64",
  hintsPlatform: undefined,
  hasChromeObject: false,
  productSub: "20100101",
  evalLength: 37,
};
const IPHONE: Environment = {
  ...CHROME,
  userAgent:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
  platform: "iPhone",
  hintsPlatform: undefined,
  hasChromeObject: false,
  evalLength: 37,
  touchPoints: 5,
  plugins: 0,
};
const IPAD: Environment = {
  ...IPHONE,
  userAgent:
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
  platform: "MacIntel",
};
const ANDROID: Environment = {
  ...CHROME,
  userAgent:
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
  platform: "Linux armv81",
  hintsPlatform: "Android",
  touchPoints: 5,
  plugins: 0,
};

describe("contradictions of an environment", () => {
  it.each(Object.entries({ CHROME, FIREFOX, IPHONE, IPAD, ANDROID }))(
    "the environment %s has no contradictions",
    (_, environment) => {
      expect(findContradictions(environment)).toEqual([]);
    },
  );

  it.each([
    [{ platform: "Linux x86_64" }, "platform"],
    [{ hintsPlatform: "Linux" }, "client_hints_platform"],
    [{ hasChromeObject: false }, "no_chrome_object"],
    [{ productSub: "20100101" }, "product_sub"],
    [{ evalLength: 37 }, "eval_length"],
    [{ languages: 0 }, "no_languages"],
    [{ renderer: "Google SwiftShader" }, "software_renderer"],
    [{ plugins: 0 }, "no_plugins"],
  ] as const)("an environment with %j has its own contradiction", (change, name) => {
    expect(findContradictions({ ...CHROME, ...change })).toEqual([name]);
    expect(findContradictions({ ...ANDROID, touchPoints: 0 })).toEqual(["no_touch_points"]);
  });
});

describe("statistics of a pointer's path", () => {
  it("the statistics distinguish a straight, even path from a hand's", () => {
    const machine = new PointerPath();
    for (let i = 0; i < 10; i++) machine.add(i * 10, i * 10, i * 50);
    expect(machine.statistics()).toEqual({ samples: 10, path_ratio: 1, speed_variation: 0, turns: 0 });

    const hand = new PointerPath();
    const way: [number, number][] = [
      [0, 0],
      [12, 3],
      [30, 14],
      [42, 40],
      [40, 52],
      [46, 55],
    ];
    for (const [i, [x, y]] of way.entries()) hand.add(x, y, i * 50);
    const { path_ratio, speed_variation, turns } = hand.statistics();
    expect(path_ratio).toBeGreaterThan(1.05);
    expect(speed_variation).toBeGreaterThan(0.05);
    expect(turns).toBeGreaterThan(0);
  });

  it("a pointer path keeps at most 60 samples of 20 a second, and is all zero without movement", () => {
    const path = new PointerPath();
    expect(path.statistics()).toEqual({ samples: 0, path_ratio: 0, speed_variation: 0, turns: 0 });
    for (let i = 0; i < 1_000; i++) path.add(i, 0, i * 10);
    expect(path.statistics().samples).toBe(60);
  });
});
