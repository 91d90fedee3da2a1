import "../../plugins/index.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/index.js";
import type { Diagnostic } from "../../compiler/model/diagnostic.js";
import type { Change, StoredResource } from "../../compiler/model/input.js";
import type { SourceText } from "../../compiler/model/source.js";
import type { Artifact } from "../../runtime/abi/generation.js";
import { newCompilation } from "../support/compilation.js";
import { runs } from "../support/runs.js";
import { applied, resource } from "./resources.js";

const secretKey = "of the installation";
const environment = {};

/** A resource of one of three files; the resource of that name is removed from all other files. */
const edit = fc.record({ file: fc.nat(2), entry: resource, gone: fc.boolean(), accepted: fc.boolean() });

/** A write of the admin API. With `own` it refers to stored resources, else to those of files. */
const write = fc.record({
  entry: resource,
  ...{ gone: fc.boolean(), own: fc.boolean(), accepted: fc.boolean() },
});

type Edit = typeof edit extends fc.Arbitrary<infer One> ? One : never;
type Write = typeof write extends fc.Arbitrary<infer One> ? One : never;

type Files = Map<string, StoredResource>[];

function edited(
  files: Files,
  { file, entry, gone }: { file: number; entry: StoredResource; gone: boolean },
): Files {
  const name = `${entry.kind}/${entry.id}`;
  return files.map((resources, index) => {
    if (index !== file && !resources.has(name)) return resources;
    const copy = new Map(resources);
    if (index === file && !gone) copy.set(name, entry);
    else copy.delete(name);
    return copy;
  });
}

function sourcesOf(files: Files): SourceText[] {
  return files.map((resources, index) => {
    const lists: Record<string, object[]> = {};
    for (const { kind, id, value } of resources.values())
      (lists[kind] ??= []).push(kind === "consumers" ? (value as object) : { id, ...(value as object) });
    return { name: `team-${index}.json`, format: "json", text: JSON.stringify(lists, null, 1) };
  });
}

const told = (findings: readonly Diagnostic[]) =>
  findings.map(({ code, message, span, notes }) => ({
    ...{ code, message, at: span && `${span.file}:${span.start.line}:${span.start.column}` },
    notes: notes.map((note) => note.message).sort(),
  }));

const inOrder = (findings: readonly Diagnostic[]) =>
  told(findings)
    .map((finding) => JSON.stringify(finding))
    .sort();

/** Converts a write; stored resources have ids of their own. */
function changeOf({ entry, gone, own }: Write): Change & { stored: StoredResource } {
  const { kind, id: name } = entry;
  const id = `s${name}`;
  const value = { ...(entry.value as Record<string, unknown>) };
  if (kind === "consumers") value["username"] = id;
  for (const field of ["service_id", "plugin_config_id", "upstream_id"])
    if (own && field in value) value[field] = `s${value[field]}`;
  const stored = { kind, id, value };
  return gone
    ? { remove: { kind, id, force: own }, stored }
    : { put: { kind, id, text: JSON.stringify(value) }, stored };
}

describe("reloads and writes", () => {
  it("a sequence of reloads and writes yields the same artifact, diagnostics and deltas as a full compile", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(edit, write), { minLength: 1, maxLength: 18 }), (steps) => {
        let files: Files = [new Map(), new Map(), new Map()];
        const compilation = newCompilation({ secretKey });
        let mirror = compilation.load({ sources: sourcesOf(files), environment }).artifact as Artifact;
        const written = new Map<string, StoredResource>();
        const anew = (next: Files) =>
          compile({ sources: sourcesOf(next), environment, secretKey, stored: [...written.values()] });

        function send(step: Write): void {
          const { stored, ...change } = changeOf(step);
          const pending = compilation.write([change]);
          if (!pending.delta) return;
          if (!step.accepted) {
            pending.rollback();
            return;
          }
          pending.commit();
          mirror = applied(mirror, pending.delta);
          const name = `${stored.kind}/${stored.id}`;
          if (step.gone) written.delete(name);
          else written.set(name, stored);
          for (const one of pending.absent) written.set(`${one.kind}/${one.id}`, { ...one, value: null });
        }

        function reload(step: Edit): void {
          const next = edited(files, step);
          const whole = anew(next);
          const pending = compilation.reload({ sources: sourcesOf(next), environment });
          expect(pending.delta === undefined).toBe(whole.artifact === undefined);
          if (!pending.delta) return;
          expect(told(pending.diagnostics)).toEqual(told(whole.diagnostics));
          expect(applied(mirror, pending.delta)).toEqual(whole.artifact);
          expect(new Map(pending.secrets)).toEqual(new Map(whole.secrets));
          if (!step.accepted) {
            pending.rollback();
            return;
          }
          mirror = applied(mirror, pending.delta);
          pending.commit();
          files = next;
        }

        for (const step of steps) {
          if ("file" in step) reload(step);
          else send(step);
          expect(inOrder(compilation.findings())).toEqual(inOrder(anew(files).diagnostics));
        }
      }),
      { numRuns: runs(400) },
    );
  });
});
