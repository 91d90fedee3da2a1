import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import type { Compilation } from "../../../compiler/compilation/compilation.js";
import { compile } from "../../../compiler/index.js";
import type { Change, StoredResource } from "../../../compiler/model/input.js";
import type { Kind } from "../../../compiler/model/resource.js";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { newCompilation } from "../../support/compilation.js";

const upstream = { nodes: { "127.0.0.1:80": 1 } };
const inFile = (lists: Record<string, object[]>) => ({
  sources: [{ name: "a.json", text: JSON.stringify(lists), format: "json" as const }],
  environment: {},
});
type Files = ReturnType<typeof inFile>;

const put = (kind: Kind, id: string, value: object): Change => ({
  put: { kind, id, text: JSON.stringify(value) },
});

const told = (findings: readonly { code: string; span?: { file: string; start: object } }[]) =>
  findings.map(({ code, span }) => `${code} ${span?.file} ${JSON.stringify(span?.start)}`).sort();

/** A gateway whose findings are those of a check of the same files and stored resources. */
class Checked {
  readonly compilation: Compilation;
  readonly #stored = new Map<string, StoredResource>();
  readonly #now: number | undefined;
  #files: Files;

  constructor(files: Files, now?: number) {
    this.#now = now;
    this.#files = files;
    this.compilation = newCompilation({ now: () => now });
    expect(this.compilation.load(files).artifact).toBeDefined();
    this.expectThoseOfCheck();
  }

  write(...changes: readonly Change[]): void {
    const pending = this.compilation.write(changes);
    expect(pending.errorMessage).toBe("");
    pending.commit();
    for (const change of changes)
      if ("put" in change) {
        const { kind, id, text } = change.put;
        this.#stored.set(`${kind}/${id}`, { kind, id, value: JSON.parse(text) });
      } else this.#stored.delete(`${change.remove.kind}/${change.remove.id}`);
    this.expectThoseOfCheck();
  }

  /** @returns codes that a reload tells */
  reload(files = this.#files): string[] {
    this.#files = files;
    const pending = this.compilation.reload(files);
    expect(told(pending.diagnostics)).toEqual(told(this.#check()));
    pending.commit();
    this.expectThoseOfCheck();
    return pending.diagnostics.map(({ code }) => code);
  }

  expectThoseOfCheck(): void {
    expect(told(this.compilation.findings())).toEqual(told(this.#check()));
  }

  codes(): string[] {
    return this.compilation.findings().map(({ code }) => code);
  }

  #check() {
    const input = { ...this.#files, stored: [...this.#stored.values()] };
    return compile(this.#now === undefined ? input : { ...input, now: this.#now }).diagnostics;
  }
}

describe("diagnostics of the running configuration", () => {
  it("an unused service is still reported after a rejected write that would have used it", () => {
    const gateway = new Checked(inFile({ services: [{ id: "payments", upstream }] }));
    const refused = gateway.compilation.write([put("routes", "1", { uri: "/", service_id: "payment" })]);
    expect(refused.diagnostics[0]?.help).toBe('did you mean "payments"?');
    expect(gateway.codes()).toEqual(["GW3011"]);
    gateway.write(put("routes", "2", { uri: "/", service_id: "payments" }));
    expect(gateway.codes()).toEqual([]);
  });

  it.each([
    ["services", "service_id"],
    ["plugin_configs", "plugin_config_id"],
  ] as const)(
    "follow writes that give one of %s its first user and take its last, as a reload does",
    (kind, field) => {
      const shared = { id: "s", ...(kind === "services" && { upstream }), plugins: { "key-auth": {} } };
      const user = { uri: "/", upstream, plugins: { "key-auth": {} }, [field]: "s" };
      const gateway = new Checked(inFile({ [kind]: [shared] }));
      const alone = ["GW3011", "GW4301"];
      expect(gateway.codes()).toEqual(alone);
      gateway.write(put("routes", "1", user));
      expect(gateway.codes()).not.toContain("GW3011");
      gateway.write(put("routes", "2", user));
      gateway.write({ remove: { kind: "routes", id: "1" } });
      gateway.reload();
      gateway.write(put("routes", "2", { uri: "/", upstream }));
      expect(gateway.codes()).toEqual(alone);
      expect(gateway.reload()).toEqual(alone);
      gateway.write(put("routes", "3", user), { remove: { kind: "routes", id: "2" } });
      gateway.reload();
      gateway.write(put("routes", "4", user), { remove: { kind: "routes", id: "3" } });
      gateway.reload();
    },
  );

  it("diagnostics of certificates are reported before and after a reload and a write", () => {
    const { cert, key } = TEST_CERTIFICATE;
    const ssl = (id: string) => ({ id, snis: [`${id}.test`], cert, key });
    const gateway = new Checked(inFile({ ssls: [ssl("a")] }), Date.parse("2126-10-20") / 1_000);
    expect(gateway.codes()).toContain("GW3068");
    gateway.write(put("ssls", "b", ssl("b")));
    expect(gateway.codes().filter((code) => code === "GW3068")).toHaveLength(2);
    gateway.reload();
    gateway.write({ remove: { kind: "ssls", id: "b" } });
    gateway.reload(inFile({ ssls: [] }));
    expect(gateway.codes()).toEqual([]);
  });

  it("the location of a diagnostic is the stored resource once its write is accepted", () => {
    const gateway = new Checked(inFile({}));
    const route = put("routes", "1", { id: "1", uri: "/", plugins: { "key-auth": {} } });
    const pending = gateway.compilation.write([route]);
    expect(pending.diagnostics.every(({ span }) => span?.file === "PUT /gw/admin/routes/1")).toBe(true);
    pending.rollback();
    gateway.write(route);
    expect(gateway.codes()).toEqual(["GW3030", "GW4301"]);
  });
});
