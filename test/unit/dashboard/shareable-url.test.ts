import { describe, expect, it } from "vitest";
import { openAddress } from "../../../runtime/dashboard/pages/shareable-url.js";

describe("the part of a requested URL that the page's own URL contains", () => {
  it.each([
    ["/a", "/a", "/a"],
    ["/a?b=c&d", "/a?b=c&d", "/a?b=c&d"],
    ["/a?token=secret&b=c", "/a?token=***&b=c", "/a?token=&b=c"],
    ["/a?x=1;token=secret", "/a?x=1;token=***", "/a?x="],
    ["http://ann:secret@shop.test/a?b=c", "/a?b=c", "http://shop.test/a?b=c"],
    ["//secret@shop.test/a", "/a", "//shop.test/a"],
    ["/a@b?c=d", "/a@b?c=d", "/a@b?c=d"],
    ["/a?b=c#access_token=secret", "/a?b=c", "/a?b=c"],
    ["/a?token=secret&b=c", "/a", "/a?token=&b="],
    ["/a?token=a=b", "/a?token=***", "/a?token="],
  ])("%s, reported as %s, is shared as %s", (asked, told, open) => {
    expect(openAddress(asked, told)).toBe(open);
  });
});
