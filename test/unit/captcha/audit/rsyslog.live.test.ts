import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { botTick, CaptchaApi, claimsOf } from "../../../support/captcha-api.js";
import { absent, SyslogServer } from "../../../support/syslog-server.js";

const reason = absent("rsyslog");

describe.skipIf(reason !== undefined)(
  `audit records as rsyslog reads them${reason ? ` (${reason})` : ""}`,
  () => {
    let server: SyslogServer;
    let api: CaptchaApi;
    beforeAll(async () => {
      server = await SyslogServer.start("rsyslog");
      api = await CaptchaApi.open();
      const settings = { host: "127.0.0.1", port: server.ports.tcp, batch_max_size: 1 };
      api.audit.send([{ kind: "syslog", settings }]);
    });
    afterAll(async () => {
      await api.close();
      await server.stop();
    });

    it("[A28] rsyslog receives one record per decision, without address, UA, token or answer", async () => {
      const visitor = api.visitor({ address: "203.0.113.77" });
      await visitor.arrive(botTick());
      await visitor.next("shapes");
      await visitor.answer({ cells: [11, 10, 9] });
      await visitor.next("text");
      const { body } = await visitor.answer(api.tasks.solution());
      const messages = await server.receives(3);
      expect(messages[0]).toMatchObject({ pri: "110", app: "gwc-captcha", msgid: "decision" });
      const records = messages.map(({ msg }) => JSON.parse(msg) as Record<string, unknown>);
      expect(records.map(({ decision }) => decision)).toEqual(["task", "again", "token"]);
      expect(new Set(records.map(({ request_id }) => request_id))).toEqual(
        new Set([claimsOf(body["token"])["request_id"]]),
      );
      expect(records[2]).toMatchObject({
        event: "captcha_decision",
        site_key: "shop-widget-01",
        hostname: "shop.example.com",
        score: 0.95,
        threshold: 0.5,
        reasons: [{ code: "webdriver", weight: 0.95 }],
        activation: "mouse",
        tasks: [
          { type: expect.stringMatching(/^(?:shapes|rings)$/), ok: false },
          { type: "text", ok: true },
        ],
        browser: "Firefox 140",
      });
      const all = messages.map(({ msg }) => msg).join("\n");
      const secrets = [
        "203.0.113",
        "Mozilla",
        "Gecko",
        String(body["token"]),
        visitor.session,
        visitor.task,
        "BKRTW",
        "[11,10,9]",
        "steps",
      ];
      for (const secret of secrets) expect([secret, all.includes(secret)]).toEqual([secret, false]);
    });
  },
);
