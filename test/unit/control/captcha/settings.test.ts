import { describe, expect, it } from "vitest";
import {
  type CaptchaDeployment,
  type CaptchaSection,
  captchaOf,
} from "../../../../plugins/captcha/control/settings.js";
import { settingsOf } from "../../../../runtime/control/settings.js";
import { SettingsError } from "../../../../runtime/process/contribution.js";
import { DEFAULT_PRICES } from "../../../support/captcha-limits.js";

const around = { directory: "/srv/gw", storeDirectory: "/srv/gw/store", trustedAddresses: ["10.0.0.0/8"] };
const of = (section: CaptchaSection) => captchaOf(section, around);
/** Settings as a deployment file gives them. */
const inFile = (keys: object, environment: Record<string, string>) =>
  settingsOf(keys, "/srv/gw", environment).services["captcha"]?.settings as CaptchaDeployment;
const refusal = (section: CaptchaSection) => {
  try {
    of(section);
    return undefined;
  } catch (error) {
    return error instanceof SettingsError ? error.message : error;
  }
};

describe("the section captcha", () => {
  it("a deployment without the section captcha has no captcha", () => {
    expect(settingsOf({}, "/srv/gw", {}).services).toEqual({});
  });

  it("the section captcha has a default for everything", () => {
    expect(of({})).toEqual({
      listen: { host: "127.0.0.1", port: 9088, setting: "captcha.listen" },
      secret: null,
      secretFile: "/srv/gw/store/captcha.secret",
      settings: {
        url: "",
        store: { type: "lmdb", path: "/srv/gw/store/captcha" },
        trustedAddresses: ["10.0.0.0/8"],
        realIpHeader: "X-Forwarded-For",
        testing: false,
        audit: [],
        hostingNetworks: [],
        limits: {
          ...{ sessions: 100_000, sessionBytes: 134_217_728, answerBytes: 33_554_432 },
          ...{ pictureBytes: 134_217_728, networkShare: 10 },
          ...{ claims: 1_000_000, sessionsSoft: 30, sessionsHard: 300 },
        },
        price: DEFAULT_PRICES,
      },
    });
  });

  it("the section captcha accepts single prices, with defaults for the others", () => {
    const price = { free_burst: 5, work_hourly: 0, part_share: 100, site_burst: 7, attack_floor: 9 };
    expect(of({ price }).settings.price).toEqual({
      ...DEFAULT_PRICES,
      free: { burst: 5, hourly: 40 },
      work: { burst: 60, hourly: 0 },
      ...{ partShare: 100, attackFloor: 9 },
      site: { burst: 7, hourly: 20_000 },
    });
  });

  it("the section captcha replaces the gateway's trusted addresses by its own, also by an empty list", () => {
    expect(of({ trusted_addresses: [] }).settings.trustedAddresses).toEqual([]);
    const keys = { gw: { trusted_addresses: ["192.0.2.1"] }, captcha: {} };
    expect(inFile(keys, {}).settings.trustedAddresses).toEqual(["192.0.2.1"]);
  });

  it("the section captcha resolves environment variables in secret and store", () => {
    const captcha = {
      secret: "${{S}}",
      store: { type: "redis", url: "redis://:${{P}}@127.0.0.1:6379" },
    };
    const found = inFile({ captcha }, { S: "0123456789abcdef", P: "pw" });
    expect(found.secret).toBe("0123456789abcdef");
    expect(found.settings.store).toEqual({
      type: "redis",
      url: "redis://:pw@127.0.0.1:6379",
      timeoutMs: 2_000,
    });
    expect(() => settingsOf({ captcha }, "/srv/gw", { P: "pw" })).toThrow(SettingsError);
  });

  it("the section captcha accepts a timeout of Redis", () => {
    const store = { type: "redis", url: "redis://127.0.0.1", timeout: 10_000 } as const;
    expect(of({ secret: "0123456789abcdef", store }).settings.store).toMatchObject({ timeoutMs: 10_000 });
  });

  it.each([
    ["https://captcha.example.com", "https://captcha.example.com"],
    ["https://captcha.example.com/", "https://captcha.example.com"],
    ["HTTPS://Captcha.Example.com:8443", "https://captcha.example.com:8443"],
    ["http://[::1]:9088", "http://[::1]:9088"],
  ])("captcha.url accepts %s", (url, origin) => {
    expect(of({ url }).settings.url).toBe(origin);
  });

  it.each([
    "captcha.example.com",
    "ftp://captcha.example.com",
    "https://captcha.example.com/path",
    "https://captcha.example.com?x",
    "https://captcha.example.com#x",
    "https://user:word@captcha.example.com",
    "javascript:alert(1)",
    "https://",
  ])("captcha.url rejects %s", (url) => {
    expect(refusal({ url })).toMatch(/^captcha\.url must be an origin/);
  });

  it("captcha.secret rejects a short secret without repeating it", () => {
    expect(refusal({ secret: "tooshort" })).toMatch(/^captcha\.secret needs at least 16 characters/);
    expect(refusal({ secret: "tooshort" })).not.toContain("tooshort");
  });

  it.each<[string, CaptchaSection, RegExp]>([
    ["redis without secret", { store: { type: "redis", url: "redis://127.0.0.1" } }, /needs captcha\.secret/],
    ["redis without url", { store: { type: "redis" } }, /captcha\.store\.url must be/],
    [
      "redis over http",
      { store: { type: "redis", url: "http://:pw@127.0.0.1" } },
      /captcha\.store\.url must be/,
    ],
    ["a path of memory", { store: { type: "memory", path: "x" } }, /captcha\.store\.path has no effect/],
    ["a timeout of lmdb", { store: { timeout: 2_000 } }, /captcha\.store\.timeout has no effect/],
    ["a url of lmdb", { store: { url: "redis://:pw@h" } }, /captcha\.store\.url has no effect/],
    [
      "limits that cross",
      { limits: { sessions_soft: 9, sessions_hard: 8 } },
      /sessions_soft must not be above/,
    ],
    [
      "an audit of requests",
      { audit: { logger: { log_format: {} } } },
      /captcha\.audit\.logger\.log_format has no/,
    ],
    [
      "a durable audit",
      { audit: { logger: { delivery: "durable" } } },
      /captcha\.audit\.logger\.delivery has no/,
    ],
  ])("the section captcha rejects %s", (_name, section, message) => {
    expect(refusal(section)).toMatch(message);
    expect(refusal(section)).not.toContain("pw@");
  });

  it("the section captcha passes settings of loggers on unchanged", () => {
    const settings = { host: "127.0.0.1", port: 514, batch_max_size: 10 };
    expect(of({ audit: { logger: settings } }).settings.audit).toEqual([{ kind: "logger", settings }]);
  });
});
