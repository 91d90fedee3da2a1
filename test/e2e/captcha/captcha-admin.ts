import { expect, vi } from "vitest";
import { switchLog } from "../../../runtime/process/log.js";
import { type AdminAnswer, AdminGateway, exchange } from "../control/admin.js";

export const SECTION = "captcha: { listen: { ip: 127.0.0.1, port: 0 }, store: { type: memory } }\n";
export const SITE_KEY = { customer: "shop", hostnames: ["example.com"] };

export const valueIn = ({ json }: AdminAnswer) => json["value"] as Record<string, unknown>;
export const secretOf = ({ json }: AdminAnswer) => String(json["secret"]);

/** A gateway with a captcha, for tests that write resources and verify at the service; records log lines. */
export class CaptchaAdmin {
  readonly admin: AdminGateway;
  readonly logged: string[];

  private constructor(admin: AdminGateway, logged: string[]) {
    this.admin = admin;
    this.logged = logged;
  }

  /** @param resources YAML beside the section */
  static async start(resources = ""): Promise<CaptchaAdmin> {
    const logged: string[] = [];
    vi.spyOn(process.stdout, "write").mockImplementation(() => true);
    vi.spyOn(process.stderr, "write").mockImplementation((text) => logged.push(String(text)) > 0);
    const admin = await AdminGateway.start(`${SECTION}${resources}`);
    // An embedded gateway is silent.
    switchLog(true);
    return new CaptchaAdmin(admin, logged);
  }

  async stop(): Promise<void> {
    switchLog(false);
    await this.admin.stop();
    vi.restoreAllMocks();
  }

  /** Restarts on the same store. */
  async restart(): Promise<void> {
    await this.admin.gateway.close(0);
    await this.admin.open();
    switchLog(true);
  }

  async created(method: string, path: string, body: unknown): Promise<AdminAnswer> {
    const answer = await this.admin.call(method, path, body);
    expect([answer.status, answer.text]).toEqual([201, answer.text]);
    return answer;
  }

  async error(method: string, path: string, body?: unknown): Promise<[number, string]> {
    const { status, json } = await this.admin.call(method, path, body);
    return [status, String(json["error_msg"])];
  }

  /** A new customer, for tests that count keys. */
  async customer(id: string): Promise<string> {
    await this.created("PUT", `/captcha/customers/${id}`, {});
    return id;
  }

  /** Status and error of a verification of an invalid token. */
  async verified(siteKey: string, apiKey: string): Promise<[number, unknown]> {
    const path = `/${siteKey}/verify?jwt=nothing`;
    const { status, json } = await exchange(this.#port(), "GET", path, undefined, { "X-Api-Key": apiKey });
    return [status, json["error"]];
  }

  /** Configuration of the checkbox frame for a site key. */
  async frameOf(siteKey: string): Promise<Record<string, unknown>> {
    const { status, text } = await exchange(this.#port(), "GET", `/f/v1/box?k=${siteKey}`);
    expect(status).toBe(200);
    const [, told = "{}"] =
      /<script type="application\/json" id="configuration">(.*?)<\/script>/s.exec(text) ?? [];
    return JSON.parse(told) as Record<string, unknown>;
  }

  #port(): number {
    return this.admin.gateway.addresses["captcha"]?.[0]?.port ?? 0;
  }
}
