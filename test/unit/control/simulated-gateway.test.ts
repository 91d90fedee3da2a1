import "../../../plugins/index.js";
import { beforeEach, expect, it } from "vitest";
import { compile } from "../../../compiler/index.js";
import { requestEnvironment } from "../../../runtime/control/in-process/run-exchange.js";
import { SimulatedGateway } from "../../../runtime/control/in-process/simulated-gateway.js";

/** Ids of loaded modules, in order. */
const loaded: string[] = [];
beforeEach(() => void loaded.splice(0));

function configured(...routes: object[]): SimulatedGateway {
  const upstream = { nodes: { "127.0.0.1:1": 1 } };
  const text = JSON.stringify({ routes: routes.map((route, i) => ({ id: `r${i}`, upstream, ...route })) });
  const { artifact } = compile({ sources: [{ name: "a.json", text, format: "json" }], environment: {} });
  if (artifact === undefined) throw new Error("it does not compile");
  const modules = new Map(artifact.modules.map((module) => [module.moduleId, module]));
  return new SimulatedGateway(artifact, [], (unit) => {
    loaded.push(unit);
    return modules.get(unit);
  });
}

const around = requestEnvironment({}, {});
const GREETED = { vars: [["http_x_a", "==", "1"]], plugins: { "response-rewrite": { status_code: 201 } } };
const at = (target: string) => ({ target, headers: ["X-A: 1"] });

it("the simulated gateway loads a module once for the condition of its route and all readings of a path", () => {
  const whole = configured({ uri: "/*", ...GREETED });
  for (const path of ["/a%2fb", "/a%5cb", "/a%2fb", "/a"]) expect(whole.match(at(path), around)).toBe("r0");
  expect(loaded).toEqual(["route:r0"]);
});

it("the simulated gateway loads no module to find a route without conditions", () => {
  const whole = configured({ uri: "/*", plugins: GREETED.plugins });
  expect(whole.match(at("/a"), around)).toBe("r0");
  expect(loaded).toEqual([]);
});

it("the simulated gateway matches no route for a path whose readings have different routes", () => {
  const whole = configured({ uri: "/private/*" }, { uri: "/*" });
  expect(whole.match(at("/private%2fx"), around)).toBeUndefined();
  expect(whole.match(at("/private/x"), around)).toBe("r0");
  expect(whole.explain(at("/private%2fx"), around)).toMatchObject({ refused: { status: 400 } });
});
