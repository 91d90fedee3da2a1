import { readFileSync } from "node:fs";
import { newApiKey } from "../../../runtime/captcha/verify/api-key.js";
import { type AdminAnswer, exchange } from "../control/admin.js";
import { childrenOf, freePort, ProcessGateway } from "../process/gateway.js";

/** Of the files' own keys. */
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
  /** Of the configuration, whose text is in the environment alone. */
  readonly apiKey: string;

  private constructor(gateway: ProcessGateway, port: number, apiKey: string) {
    this.gateway = gateway;
    this.port = port;
    this.apiKey = apiKey;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** @param section more of `captcha` */
  static async start(section: object = {}): Promise<CaptchaGateway> {
    const { id, key } = newApiKey();
    process.env["CAPTCHA_TEST_API_KEY"] = key;
    const port = await freePort();
    const gateway = await ProcessGateway.prepare(
      {
        captcha: { listen: { ip: "127.0.0.1", port }, ...section },
        captcha_customers: [{ id: CUSTOMER }],
        captcha_site_keys: [{ id: SITE_KEY, ...siteKey() }],
        captcha_api_keys: [{ id, customer: CUSTOMER, key: "${{CAPTCHA_TEST_API_KEY}}" }],
      },
      { workers: 1 },
    );
    await gateway.open();
    return new CaptchaGateway(gateway, port, key);
  }

  /** As a backend asks. */
  verify(token: string, { apiKey = this.apiKey, path = SITE_KEY } = {}): Promise<AdminAnswer> {
    return exchange(this.port, "GET", `/${path}/verify?jwt=${token}`, undefined, { "X-Api-Key": apiKey });
  }

  /** Process ids of the launcher's children by the name of their module's folder or file. */
  pid(name: "captcha" | "control" | "worker"): number {
    const [pid = 0] = childrenOf(this.gateway.process.pid ?? 0).filter((child) =>
      readFileSync(`/proc/${child}/cmdline`, "utf8").includes(`runtime/${name}`),
    );
    return pid;
  }

  async ready(): Promise<{ status: number; captcha: { up?: boolean; reason?: string } }> {
    const { status, json } = await exchange(this.gateway.statusPort, "GET", "/status/ready");
    return { status, captcha: (json["captcha"] as { up?: boolean } | undefined) ?? {} };
  }

  end(): Promise<void> {
    return this.gateway.end();
  }
}
