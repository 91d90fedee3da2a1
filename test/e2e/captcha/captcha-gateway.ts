import { rmSync } from "node:fs";
import { join } from "node:path";
import { newApiKey } from "../../../plugins/captcha/service/verify/api-key.js";
import { gwc } from "../../support/cli.js";
import { freePort } from "../../support/ports.js";
import { type AdminAnswer, exchange } from "../control/admin.js";
import { ProcessGateway } from "../process/gateway.js";

/** The site key of the configuration files. */
export const SITE_KEY = "sk_process_test";
export const CUSTOMER = "shop";

export const siteKey = (more: object = {}) => ({
  ...{ customer: CUSTOMER, hostnames: ["localhost"], challenge_mode: "never", pow_bits: 10 },
  ...more,
});

/** A gateway of several processes with a captcha. */
export class CaptchaGateway {
  readonly gateway: ProcessGateway;
  readonly port: number;
  /** API key of the configuration, whose text is only in the environment. */
  readonly apiKey: string;

  private constructor(gateway: ProcessGateway, port: number, apiKey: string) {
    this.gateway = gateway;
    this.port = port;
    this.apiKey = apiKey;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** @param section more of `captcha`; @param build runs `gwc build` and starts its directory */
  static async start(section: object = {}, build = false): Promise<CaptchaGateway> {
    const { id, key } = newApiKey();
    const variable = `CAPTCHA_TEST_API_KEY_${id}`;
    process.env[variable] = key;
    const port = await freePort();
    const gateway = await ProcessGateway.prepare(
      {
        captcha: { listen: { ip: "127.0.0.1", port }, ...section },
        captcha_customers: [{ id: CUSTOMER }],
        captcha_site_keys: [{ id: SITE_KEY, ...siteKey() }],
        captcha_api_keys: [{ id, customer: CUSTOMER, key: `\${{${variable}}}` }],
      },
      { workers: 1 },
    );
    if (build) buildIn(gateway.directory);
    await gateway.open(build ? { paths: ["dist"] } : {});
    return new CaptchaGateway(gateway, port, key);
  }

  /** Verifies a token as a backend. */
  verify(token: string, { apiKey = this.apiKey, path = SITE_KEY } = {}): Promise<AdminAnswer> {
    return exchange(this.port, "GET", `/${path}/verify?jwt=${token}`, undefined, { "X-Api-Key": apiKey });
  }

  async ready(): Promise<{ status: number; captcha: { up?: boolean; reason?: string } }> {
    const { status, json } = await exchange(this.gateway.statusPort, "GET", "/status/ready");
    return { status, captcha: (json["captcha"] as { up?: boolean } | undefined) ?? {} };
  }

  end(): Promise<void> {
    return this.gateway.end();
  }
}

function buildIn(directory: string): void {
  const { status, stderr } = gwc(directory, ["build", "gateway.json", "--out", "dist"]);
  if (status !== 0) throw new Error(stderr);
  rmSync(join(directory, "gateway.json"));
}
