import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CaptchaHarness, SITE } from "../../support/verify-harness.js";

const run = promisify(execFile);
const clock = { now: () => Date.now(), monotonic: () => performance.now() };

let harness: CaptchaHarness;
let directory: string;
beforeAll(async () => {
  harness = await CaptchaHarness.start({ clock });
  directory = mkdtempSync(join(tmpdir(), "gwc-captcha-"));
});
afterAll(async () => {
  await harness.stop();
  rmSync(directory, { recursive: true });
});

describe("[A20] a plain client is served", () => {
  it("net/http of Go", async () => {
    const file = join(directory, "main.go");
    writeFileSync(
      file,
      `package main

import (
	"io"
	"net/http"
	"os"
)

func main() {
	request, _ := http.NewRequest("GET", os.Args[1], nil)
	request.Header.Set("X-Api-Key", os.Args[2])
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	io.Copy(os.Stdout, response.Body)
}
`,
    );
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/local/go/bin`, GOFLAGS: "-mod=mod" };
    const { stdout } = await run(
      "go",
      ["run", file, harness.verifyUrl(await harness.issue()), harness.keys.shop.key],
      { env },
    );
    expect(JSON.parse(stdout)).toMatchObject({ success: true, site_key: SITE });
  });
});
