import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminErrorText } from "../../compiler/diagnostics/admin-text.js";
import { capturing } from "../../runtime/control/in-process/captured-logs.js";
import { CaseCaptcha } from "./runner/captcha.js";
import { caseNames, readCase } from "./runner/case.js";
import { checkExchange, comparable } from "./runner/check.js";
import { compileCase, compiledCase } from "./runner/compiled.js";
import { admissionOfCase } from "./runner/gateway-rules.js";
import { happened } from "./runner/in-process.js";
import { predict } from "./runner/prediction.js";

const PORT = 1980;
const ENDS = { clientPort: 40_000, serverAddress: "127.0.0.1", serverPort: 9080 };

const service = new CaseCaptcha();
beforeAll(() => service.start());
afterAll(() => service.stop());

describe.each(caseNames())("%s", (name) => {
  const written = readCase(name, PORT);
  const exchanges = (written.exchanges ?? []).map(
    (exchange, i) => [exchange.when ?? `exchange ${i + 1}`, exchange] as const,
  );

  if (written.refused !== undefined) {
    it("the compiler rejects the configuration with the expected errors", () => {
      const { diagnostics } = compileCase(written);
      const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
      expect([...new Set(errors)]).toEqual(written.refused);
      if (written.error_msg !== undefined) expect(adminErrorText(diagnostics)).toBe(written.error_msg);
    });
    return;
  }

  it.each(exchanges)("the oracle's prediction meets the expectations: %s", (_, exchange) =>
    checkExchange(exchange, predict(compiledCase(written).plan, exchange, ENDS, written)),
  );

  it.each(exchanges)(
    "the modules meet the expectations and agree with the oracle: %s",
    async (_, exchange) => {
      const running = readCase(name, PORT, service.port);
      const { plan, artifact } = compiledCase(running);
      const { generation, records } = capturing(artifact);
      service.speakFor(running);
      const seen = await happened(generation, exchange, ENDS, admissionOfCase(written));
      seen.logs = await records();
      seen.verifications = service.asked(running);
      checkExchange(exchange, seen);
      expect(comparable(seen)).toEqual(comparable(predict(plan, exchange, ENDS, written)));
    },
  );
});
