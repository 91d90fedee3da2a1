import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { capturing } from "../../runtime/control/in-process/captured-logs.js";
import {
  requestBytes,
  upstreamScript,
  wholeRequest,
} from "../../runtime/control/in-process/exchange-bytes.js";
import { RawClient } from "../support/raw-client.js";
import { OVER_TLS } from "../support/secure-peer.js";
import { CaseCaptcha } from "./runner/captcha.js";
import { type CaseExchange, caseNames, readCase } from "./runner/case.js";
import { checkExchange, comparable } from "./runner/check.js";
import { compiledCase } from "./runner/compiled.js";
import { admissionOfCase } from "./runner/gateway-rules.js";
import { interimOf, LiveGateway } from "./runner/live.js";
import { predict } from "./runner/prediction.js";

let gateway: LiveGateway;
const service = new CaseCaptcha();

beforeAll(async () => {
  gateway = await LiveGateway.start();
  await service.start();
});

afterAll(async () => {
  await gateway.stop();
  await service.stop();
});

/** Reports whether an exchange leaves its connection open for the next one. */
const keepsTheConnection = ({ request = {}, upstream = {}, expect: { response } }: CaseExchange) =>
  request.http !== "1.0" &&
  request.from === undefined &&
  upstream.failure === undefined &&
  response?.status !== 400 &&
  !request.headers?.some((line) => /^connection:/i.test(line));

const all = caseNames().filter((name) => readCase(name, 1).exchanges !== undefined);
/** Over TLS only cases that depend on the connection, and pipelined ones without a service or destination. */
const ofRequests = all.filter((name) => !OVER_TLS || /^(?:requests|redirect|key-auth)\//.test(name));
const pipelined = all.filter(
  (name) => !OVER_TLS || !/^(?:captcha|syslog|broker-logger|http-logger)\//.test(name),
);

describe.each(ofRequests)("%s", (name) => {
  it("a live gateway serves each exchange as the case and the oracle say", async () => {
    const { exchanges = [], ...rest } = readCase(name, gateway.upstream.port, service.port);
    const { plan, artifact } = compiledCase(rest);
    for (const exchange of exchanges) {
      const { generation, records } = capturing(artifact);
      gateway.generation = generation;
      gateway.admission = admissionOfCase(rest);
      service.speakFor(rest);
      const { clientPort, ...seen } = await gateway.exchange(exchange);
      seen.logs = await records();
      seen.verifications = service.asked(rest);
      // Cases state the scheme of HTTP; the oracle knows both.
      if (!OVER_TLS) checkExchange(exchange, seen);
      const predicted = predict(plan, exchange, gateway.ends(clientPort), rest);
      expect(comparable(seen)).toEqual(comparable(predicted));
    }
  });
});

describe.each(pipelined.filter((name) => readCase(name, 1).exchanges?.every(keepsTheConnection)))(
  "%s",
  (name) => {
    it("a live gateway serves three pipelined rounds of the case as the oracle predicts", async () => {
      const { exchanges = [], ...rest } = readCase(name, gateway.upstream.port, service.port);
      const { plan, artifact } = compiledCase(rest);
      const { generation, records } = capturing(artifact);
      service.speakFor(rest);
      gateway.generation = generation;
      gateway.admission = admissionOfCase(rest);
      const all = [...exchanges, ...exchanges, ...exchanges];
      const client = await RawClient.open(gateway.port);
      const ends = gateway.ends(client.socket.localPort ?? 0);
      const called = all.filter(
        (exchange) => predict(plan, exchange, ends, rest).upstreamRequest !== undefined,
      );
      gateway.upstream.respond = (request) => upstreamScript(called.shift()?.upstream, request.method);
      try {
        await client.send(all.map(({ request }) => requestBytes(request)).join(""));
        for (const exchange of all) {
          const got = await client.response(wholeRequest(exchange.request).method);
          const { response } = predict(plan, exchange, ends, rest);
          const seen = {
            upstreamRequest: undefined,
            response: { ...got, length: undefined, interim: interimOf(got) },
          };
          expect(comparable(seen)).toEqual(comparable({ upstreamRequest: undefined, response }));
        }
      } finally {
        client.close();
        await records();
      }
    });
  },
);
