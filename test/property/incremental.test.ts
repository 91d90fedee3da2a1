import "../../plugins/index.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/index.js";
import type { Change, StoredResource } from "../../compiler/model/input.js";
import type { Kind } from "../../compiler/model/resource.js";
import type { SourceText } from "../../compiler/model/source.js";
import type { Artifact, Delta } from "../../runtime/abi/generation.js";
import { newCompilation } from "../support/compilation.js";
import { runs } from "../support/runs.js";
import { apiKey, applied, id, metadataId, resource, siteKey } from "./resources.js";

const FILES: SourceText[] = [
  {
    name: "gateway.yaml",
    format: "yaml",
    text: `
upstreams:
  - { id: fixed, nodes: { "10.0.0.1:80": 1 } }
plugin_configs:
  - { id: fixed, plugins: { proxy-rewrite: { headers: { set: { X-From: file } } } } }
routes:
  - { id: fixed, uri: /fixed, upstream_id: fixed, plugin_config_id: fixed }
  - { id: also, uri: /also/*, upstream_id: fixed }
`,
  },
];
const environment = {};
const secretKey = "of the installation";

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: resource.map(({ kind, id, value }) => ({ put: { kind, id, text: JSON.stringify(value) } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({
        kind: fc.constantFrom<Kind>(
          "consumers",
          "routes",
          "services",
          "upstreams",
          "plugin_configs",
          "global_rules",
          "captcha_customers",
        ),
        id,
        force: fc.boolean(),
      })
      .map((remove) => ({ remove })),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      siteKey.map((key) => ({ remove: { kind: "captcha_site_keys" as const, id: key } })),
      apiKey.map((key) => ({ remove: { kind: "captcha_api_keys" as const, id: key } })),
    ),
  },
  {
    weight: 1,
    arbitrary: metadataId.map((id) => ({ remove: { kind: "plugin_metadata" as const, id } })),
  },
);
const step = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 3 }),
  accepted: fc.boolean(),
});

function remember(
  stored: Map<string, StoredResource>,
  changes: Change[],
  absent: { kind: Kind; id: string }[],
) {
  for (const item of changes) {
    if ("put" in item) {
      const { kind, id, text } = item.put;
      stored.set(`${kind}/${id}`, { kind, id, value: JSON.parse(text) as unknown });
    } else stored.delete(`${item.remove.kind}/${item.remove.id}`);
  }
  for (const { kind, id } of absent) stored.set(`${kind}/${id}`, { kind, id, value: null });
}

describe("incremental writes", () => {
  it("incremental writes and their deltas yield the same artifact as a full compile", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const compilation = newCompilation({ secretKey });
        let mirror = compilation.load({ sources: FILES, environment }).artifact as Artifact;
        const stored = new Map<string, StoredResource>();
        for (const { changes, accepted } of steps) {
          const pending = compilation.write(changes);
          if (!pending.delta) {
            expect(pending.errorMessage).not.toBe("");
            continue;
          }
          if (accepted) {
            mirror = applied(mirror, pending.delta);
            remember(stored, changes, pending.absent);
            pending.commit();
          } else pending.rollback();
          const anew = compile({ sources: FILES, environment, secretKey, stored: [...stored.values()] });
          expect(anew.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
          expect(mirror).toEqual(anew.artifact);
          if (accepted) expect(new Map(pending.secrets)).toEqual(new Map(anew.secrets));
        }
      }),
      { numRuns: runs(150) },
    );
  });

  it("an incremental write is rejected exactly when the full compile fails", () => {
    fc.assert(
      fc.property(fc.array(resource, { minLength: 1, maxLength: 12 }), (puts) => {
        const compilation = newCompilation();
        compilation.load({ sources: FILES, environment });
        const stored = new Map<string, StoredResource>();
        for (const put of puts) {
          const { kind, id, value } = put;
          const pending = compilation.write([{ put: { kind, id, text: JSON.stringify(value) } }]);
          const next = new Map(stored).set(`${kind}/${id}`, put);
          const whole = compile({ sources: FILES, environment, stored: [...next.values()] });
          expect(pending.delta === undefined).toBe(whole.artifact === undefined);
          if (!pending.delta) continue;
          stored.set(`${kind}/${id}`, put);
          pending.commit();
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it("incremental writes yield the artifact of a full compile also after a reload of the files", () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.array(step, { maxLength: 6 }),
        (before, after) => {
          const compilation = newCompilation();
          let mirror = compilation.load({ sources: FILES, environment }).artifact as Artifact;
          const stored = new Map<string, StoredResource>();
          const write = ({ changes }: { changes: Change[] }) => {
            const pending = compilation.write(changes);
            if (!pending.delta) return;
            mirror = applied(mirror, pending.delta);
            remember(stored, changes, pending.absent);
            pending.commit();
          };
          before.forEach(write);
          const [file] = FILES;
          const sources = [
            { ...file, text: `${file?.text}  - { id: new, uri: /new, upstream_id: fixed }\n` } as SourceText,
          ];
          const reload = compilation.reload({ sources });
          mirror = applied(mirror, reload.delta as Delta);
          reload.commit();
          after.forEach(write);
          expect(mirror).toEqual(compile({ sources, environment, stored: [...stored.values()] }).artifact);
        },
      ),
      { numRuns: runs(60) },
    );
  });
});
