import { describe, expect, it } from "vitest";
import { curlCommand, isCurl } from "../../../runtime/dashboard/pages/curl-command.js";

const U = "https://shop.test/orders/7?a=b";

describe("a command of curl that is pasted", () => {
  it.each<[string, object]>([
    [`curl ${U}`, { method: "GET", url: U, headers: {} }],
    [`$ curl -sSL -H 'X-API-KEY: s' ${U}`, { headers: { "X-API-KEY": "s" }, url: U }],
    [`sudo /usr/bin/curl --compressed ${U}`, { url: U }],
    [`curl.exe -k ${U}`, { url: U }],
    [
      `TOKEN=x curl ${U} \\\n  -H "A: b \\"c\\"" \\\r\n  -H 'constructor: x'`,
      { headers: { A: 'b "c"', constructor: "x" } },
    ],
    [`curl ${U} -d a=1 --data-urlencode b=2`, { method: "POST", body: "a=1&b=2" }],
    [`curl -G ${U} -d c=1`, { method: "GET", url: `${U}&c=1` }],
    [`curl --oauth2-bearer s ${U}`, { url: U, headers: { Authorization: "Bearer s" } }],
    [`curl --proxy-user a:s --cacert ca.pem ${U} -o out.json`, { url: U }],
    [`curl -u имя:x ${U}`, { headers: { Authorization: "Basic 0LjQvNGPOng=" } }],
    [
      "curl http://u:s%40@shop.test/a",
      { url: "http://shop.test/a", headers: { Authorization: "Basic dTpzQA==" } },
    ],
    ["curl -XPUT --url=/a -dx", { method: "PUT", url: "/a", body: "x" }],
    ["curl --proxy-user a:s localhost/a --max-time 3 --some-new https://x.test", { url: "https://x.test" }],
    ["curl --proxy-user a:s localhost/a --cacert b.pem", { url: "localhost/a" }],
    ["curl localhost:9080/a -I", { method: "HEAD", url: "localhost:9080/a" }],
  ])("%s", (text, request) => {
    expect(curlCommand(text)).toMatchObject(request);
  });

  it.each([
    "curl",
    "curl -H 'X-API-KEY: s'",
    "curl --data-urlencode a=S",
    "curl --oauth2-bearer S",
    "$ curl -u a:b",
  ])("that names no address is known as a command, and is none: %s", (text) => {
    expect([isCurl(text), curlCommand(text)]).toEqual([true, undefined]);
  });

  it.each(["/curl/x", "/orders?curl=1", "https://curl.se/", "curly"])("is not %s", (text) => {
    expect(isCurl(text)).toBe(false);
  });
});
