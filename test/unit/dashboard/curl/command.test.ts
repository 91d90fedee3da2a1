import { describe, expect, it } from "vitest";
import { curlCommand, isCurl } from "../../../../runtime/dashboard/curl/command.js";

const U = "https://shop.test/orders/7?a=b";
/** Headers that curl adds by itself. */
const OWN = [
  ["User-Agent", "curl/8.0.0"],
  ["Accept", "*/*"],
];

describe("a pasted curl command", () => {
  it.each<[string, object]>([
    [`curl ${U}`, { method: "GET", url: U, headers: OWN }],
    [`$ curl -sSL -H 'X-API-KEY: s' ${U}`, { headers: [...OWN, ["X-API-KEY", "s"]], url: U }],
    [`sudo /usr/bin/curl --compressed ${U}`, { url: U }],
    [`curl.exe -k ${U}`, { url: U }],
    [
      `TOKEN=x curl ${U} \\\n  -H "A: b \\"c\\"" \\\r\n  -H 'constructor: x'`,
      { headers: [...OWN, ["A", 'b "c"'], ["constructor", "x"]] },
    ],
    [`curl ${U} -d a=1 --data-urlencode b=2`, { method: "POST", body: "a=1&b=2" }],
    [`curl -G ${U} -d c=1`, { method: "GET", url: `${U}&c=1` }],
    [`curl --oauth2-bearer s ${U}`, { url: U, headers: [["Authorization", "Bearer s"], ...OWN] }],
    [`curl --proxy-user a:s --cacert ca.pem ${U} -o out.json`, { url: U }],
    [`curl -u имя:x ${U}`, { headers: [["Authorization", "Basic 0LjQvNGPOng="], ...OWN] }],
    [
      "curl http://u:s%40@shop.test/a",
      { url: "http://shop.test/a", headers: [["Authorization", "Basic dTpzQA=="], ...OWN] },
    ],
    ["curl -XPUT --url=/a -dx", { method: "PUT", url: "/a", body: "x" }],
    [
      "curl --proxy-user a:s localhost/a --max-time 3 --some-new https://x.test",
      { url: "http://localhost/a" },
    ],
    ["curl --proxy-user a:s localhost/a --cacert b.pem", { url: "http://localhost/a" }],
    ["curl localhost:9080/a -I", { method: "HEAD", url: "http://localhost:9080/a" }],
  ])("a curl command is parsed: %s", (text, request) => {
    expect(curlCommand(text)?.request).toMatchObject(request);
  });

  it.each<[string, object]>([
    ["curl /a -d @order.json --data-binary @-", { untried: ["-d @order.json", "--data-binary @-"] }],
    ["curl /a -F file=@a.png --form-string n=1", { untried: ["-F file=@a.png", "--form-string n=1"] }],
    ["curl /a -H @heads -b jar.txt -T a", { untried: ["-T a", "-H @heads", "-b jar.txt"] }],
    ["curl /a --digest -u a:b", { untried: ["--digest"] }],
    [
      "curl /a --data-urlencode @f --data-urlencode n@f",
      { untried: ["--data-urlencode @f", "--data-urlencode n@f"] },
    ],
    ["curl /a --request-target '*'", { untried: ["--request-target *"] }],
    ["curl --from-tomorrow x -\u00fc /a --url /b", { unknown: ["--from-tomorrow", "-\u00fc"] }],
    [`curl /a -H "X: $TOKEN" -d \${N} -d "\\$no" -d '$no'`, { open: ["$TOKEN", "${N}"] }],
    [`curl "http://h/$(date +%s)"`, { open: ["$(date +%s)"] }],
    ["curl /a /b", { isFirst: true }],
    ["curl /a --next /b", { isFirst: true, unknown: [] }],
    ["curl http://h/[1-3]", { isFirst: true }],
    ["curl -g http://h/[1-3]", { isFirst: false }],
    ["curl -sSLkv --compressed /a | jq . > b", { untried: [], unknown: [], open: [], isFirst: false }],
  ])("a curl command's parts that the request lacks are noted: %s", (text, notes) => {
    expect(curlCommand(text)?.notes).toMatchObject(notes);
  });

  it("a curl command that would take a backtracking pattern long is parsed", () => {
    expect(curlCommand(`curl ${"$(".repeat(10_000)}`)).toBeDefined();
    expect(curlCommand(`curl ${"'a\\".repeat(9_000)}`)).toBeDefined();
    expect(curlCommand(`curl ${"$'\\".repeat(9_000)}`)).toBeDefined();
  });

  it.each([
    "curl",
    "curl -H 'X-API-KEY: s'",
    "curl --data-urlencode a=S",
    "curl --oauth2-bearer S",
    "$ curl -u a:b",
  ])("a curl command without an address is recognized and has no request: %s", (text) => {
    expect([isCurl(text), curlCommand(text)?.request]).toEqual([true, undefined]);
  });

  it.each(["/curl/x", "/orders?curl=1", "https://curl.se/", "curly"])(
    "the text %s is no curl command",
    (text) => {
      expect(isCurl(text)).toBe(false);
    },
  );
});
