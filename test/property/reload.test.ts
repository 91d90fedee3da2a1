import "../../plugins/index.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { Compilation } from "../../compiler/incremental.js";
import { compile } from "../../compiler/index.js";
import type { StoredResource } from "../../compiler/input.js";
import type { SourceText } from "../../compiler/parse/source.js";
import type { Artifact } from "../../runtime/abi/generation.js";
import { runs } from "../support/runs.js";
import { applied, resource } from "./resources.js";

const secretKey = "of the installation";
const environment = {};

/** A resource of one of three files; the resource of that name goes, wherever it was. */
const edit = fc.record({ file: fc.nat(2), entry: resource, gone: fc.boolean(), accepted: fc.boolean() });

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

describe("reloads one after another", () => {
  it("give the same artifact and the same findings as compiling everything anew, as do their deltas", () => {
    fc.assert(
      fc.property(
        fc.array(edit, { minLength: 1, maxLength: 14 }),
        fc.array(resource, { maxLength: 2 }),
        (edits, writes) => {
          let files: Files = [new Map(), new Map(), new Map()];
          const compilation = new Compilation(secretKey);
          let mirror = compilation.load({ sources: sourcesOf(files), environment }).artifact as Artifact;
          const written = new Map<string, StoredResource>();
          for (const { kind, id, value } of writes) {
            const pending = compilation.write([{ put: { kind, id: `s${id}`, text: JSON.stringify(value) } }]);
            if (!pending.delta) continue;
            pending.commit();
            mirror = applied(mirror, pending.delta);
            written.set(`${kind}/${id}`, { kind, id: `s${id}`, value });
          }
          const stored = [...written.values()];
          for (const step of edits) {
            const next = edited(files, step);
            const sources = sourcesOf(next);
            const anew = compile({ sources, environment, secretKey, stored });
            const reload = compilation.reload({ sources, environment });
            expect(reload.delta === undefined).toBe(anew.artifact === undefined);
            if (!reload.delta) continue;
            expect(told(reload.diagnostics)).toEqual(told(anew.diagnostics));
            expect(applied(mirror, reload.delta)).toEqual(anew.artifact);
            expect(new Map(reload.secrets)).toEqual(new Map(anew.secrets));
            if (!step.accepted) {
              reload.rollback();
              continue;
            }
            mirror = applied(mirror, reload.delta);
            reload.commit();
            files = next;
          }
        },
      ),
      { numRuns: runs(60) },
    );
  });
});
