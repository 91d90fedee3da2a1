import { describe, expect, it } from "vitest";
import type { CaptchaSiteKey } from "../../../plugins/captcha/captcha-table.js";
import { doubtsAbout, urlOfListener } from "../../../plugins/captcha/service/captcha.js";

const site = (...hostnames: string[]) => [{ id: "sk_one", hostnames } as CaptchaSiteKey];

const doubts = (url: string, siteKeys: CaptchaSiteKey[]) => doubtsAbout({ url, testing: false }, siteKeys);

describe("warnings about the address of the captcha", () => {
  it("an https URL with a host of its own causes no warning", () => {
    expect(doubts("https://captcha.example.com", site("example.com"))).toEqual([]);
  });

  it("http on another host causes a warning", () => {
    expect(doubts("http://captcha.example.com", [])).toEqual([expect.stringContaining("is not https")]);
  });

  it.each(["http://127.0.0.1:9088", "http://localhost", "http://[::1]:9088", "https://127.0.0.2"])(
    "%s causes a warning that only browsers of this machine reach it",
    (url) => {
      expect(doubts(url, site("localhost"))).toEqual([
        expect.stringContaining("only browsers of this machine"),
      ]);
    },
  );

  it("captcha.testing causes a warning while it is enabled", () => {
    const found = doubtsAbout({ url: "https://captcha.example.com", testing: true }, []);
    expect(found).toEqual([expect.stringContaining("captcha.testing is enabled")]);
  });

  it("a captcha on the host of a page with the widget causes a warning", () => {
    const found = doubts("https://www.example.com", site("example.com", "www.example.com"));
    expect(found).toEqual([expect.stringContaining("site key sk_one")]);
  });
});

it.each([
  ["127.0.0.1", "http://127.0.0.1:9088"],
  ["0.0.0.0", "http://127.0.0.1:9088"],
  ["::", "http://[::1]:9088"],
  ["::1", "http://[::1]:9088"],
])("a listener on %s is reached at %s", (host, url) => {
  expect(urlOfListener({ host, port: 9088 })).toBe(url);
});
