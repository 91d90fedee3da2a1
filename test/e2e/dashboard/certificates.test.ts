import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { type Issued, issue } from "../../support/certificates.js";
import { VIEWER_KEY } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

const indented = (text: string) => text.trim().replaceAll("\n", "\n      ");

/** Resource file with a certificate, since a write with an expired one is rejected. */
const file = ({ cert, key }: Issued) => `ssls:
  - id: old
    snis: [old.test]
    cert: |
      ${indented(cert)}
    key: |
      ${indented(key)}
`;

describe.skipIf(WITHOUT_BROWSER)("certificates", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  let shop: Issued;
  beforeAll(async () => {
    const authority = issue({ names: ["Authority of the tests"], authority: true });
    shop = issue({ names: ["shop.test", "www.shop.test"], by: authority });
    harness = await DashboardHarness.open(file(issue({ names: ["old.test"], expired: true })));
    const put = async (id: string, value: object) =>
      expect((await harness.gateway.call("PUT", `/ssls/${id}`, value)).status).toBe(201);
    await put("shop", { snis: ["shop.test"], ...shop, cert: `${shop.cert}${authority.cert}` });
    const mixed = `${shop.cert}${TEST_CERTIFICATE.cert}`;
    await put("mixed", { snis: ["www.shop.test"], ...shop, cert: mixed, status: 0 });
    await put("long", { snis: ["upstream.test"], ...TEST_CERTIFICATE });
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  const line = (id: string) =>
    visit.page.getByRole("row").filter({ has: visit.page.getByRole("link", { name: id, exact: true }) });
  const section = () => visit.page.getByRole("region", { name: "What the certificates say" });

  it("the certificate list shows expiry dates, expired certificates and unused ones", async () => {
    visit = await harness.signedIn("/gw/ui/ssls", {}, VIEWER_KEY);
    await line("shop")
      .getByText(/^in (?:29|30) days$/)
      .waitFor();
    await line("old")
      .getByText(/^expired \d+ (?:days|years) ago$/)
      .waitFor();
    await line("long")
      .getByText(/^in \d+ years$/)
      .waitFor();
    await line("mixed").getByText("not in use").waitFor();
    expect(await axeViolationsIn(visit.page)).toEqual([]);
  });

  it("an expired certificate's state is completely visible on a phone", async () => {
    const phone = { viewport: { width: 390, height: 844 } };
    visit = await harness.signedIn("/gw/ui/ssls", phone, VIEWER_KEY);
    const badge = line("old").locator(".mantine-Badge-root");
    await badge.first().waitFor();
    const box = await badge.first().boundingBox();
    expect(box && box.x + box.width).toBeLessThanOrEqual(390 - 16);
    const label = badge.first().locator(".mantine-Badge-label");
    expect(await label.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
  });

  it("a certificate page shows names, issuer and dates of the chain, and its API returns no key", async () => {
    visit = await harness.signedIn("/gw/ui/ssls/shop", {}, VIEWER_KEY);
    const rows = section().getByRole("row");
    await rows.nth(1).getByText("CN=shop.test", { exact: true }).waitFor();
    await rows.nth(1).getByText("shop.test, www.shop.test").waitFor();
    await rows.nth(1).getByText("CN=Authority of the tests").waitFor();
    await rows.nth(2).getByText("signed by itself").waitFor();
    expect(await section().getByText("not issued by the next one").count()).toBe(0);
    expect(await axeViolationsIn(visit.page)).toEqual([]);
    const { text } = await harness.gateway.call("GET", "/certificates/shop");
    expect(text).not.toMatch(/PRIVATE|BEGIN/);
  });

  it("a certificate page warns of a broken chain and of a disabled certificate", async () => {
    visit = await harness.signedIn("/gw/ui/ssls/mixed");
    await section().getByText("not issued by the next one").waitFor();
    await section().getByText("Not presented to anybody").waitFor();
    expect((await harness.gateway.call("GET", "/certificates/nobody")).status).toBe(404);
  });
});
