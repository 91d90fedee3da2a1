import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from "@codemirror/language";
import { type Action, type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Text } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Finding, Fix, Position } from "../api/client";
import type { Format } from "./draft";
import { fieldFacts } from "./field-facts";
import { useFixLabel } from "./fix-label";
import type { SchemaSource } from "./schema-at";
import { completions } from "./schema-completion";
import { type Facts, schemaHover } from "./schema-hover";
import { useEditor } from "./use-editor";

export interface TextEditorProps {
  label: string;
  format: Format;
  text: string;
  readOnly?: boolean;
  /** Shown at their places, which are of this text. */
  findings: readonly Finding[];
  /** What keys and values are offered from. */
  schema?: SchemaSource;
  onChange(text: string): void;
  /** Mends a finding, which changes the text outside. */
  onFix(fix: Fix): void;
}

/** What an editor of this kind is made of. */
const extensions = ({
  label,
  format,
  readOnly,
  schema,
  facts,
}: Pick<TextEditorProps, "label" | "format" | "readOnly" | "schema"> & { facts: Facts }) => [
  lineNumbers(),
  foldGutter(),
  history(),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  lintGutter(),
  format === "json" ? json() : yaml(),
  schema ? [autocompletion({ override: [completions(schema, format)] }), schemaHover(schema, facts)] : [],
  keymap.of([
    ...completionKeymap,
    ...defaultKeymap,
    ...historyKeymap,
    ...foldKeymap,
    ...searchKeymap,
    ...lintKeymap,
    indentWithTab,
  ]),
  // What is not edited is read with the keyboard all the same.
  EditorView.contentAttributes.of({ "aria-label": label, ...(readOnly && { tabindex: "0" }) }),
  EditorState.readOnly.of(readOnly === true),
  EditorView.editable.of(readOnly !== true),
];

/** A text with its findings. */
export function TextEditor({
  label,
  format,
  text,
  readOnly = false,
  findings,
  schema,
  onChange,
  onFix,
}: TextEditorProps) {
  const { t } = useTranslation();
  const labelOf = useFixLabel();
  const mend = useRef(onFix);
  mend.current = onFix;
  const extension = useMemo(
    () => extensions({ label, format, readOnly, schema, facts: (...of) => fieldFacts(t, ...of) }),
    [format, label, readOnly, schema, t],
  );
  const { place, view } = useEditor(text, extension, onChange);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    const actionsOf = ({ fix }: Finding): Action[] =>
      fix === undefined || readOnly ? [] : [{ name: labelOf(fix), apply: () => mend.current(fix) }];
    editor.dispatch(
      setDiagnostics(
        editor.state,
        findings.flatMap((finding) =>
          marked(editor.state.doc, finding).map((one) => ({ ...one, actions: actionsOf(finding) })),
        ),
      ),
    );
  }, [findings, view, labelOf, readOnly]);

  return <div ref={place} />;
}

/** A finding where it stands in the text; those of other files stand in the list alone. */
function marked(doc: Text, { span, severity, message, help }: Finding): Diagnostic[] {
  if (span === undefined || !span.file.includes("/gw/admin/")) return [];
  const from = offsetOf(doc, span.start);
  return [
    {
      from,
      to: Math.max(from, offsetOf(doc, span.end)),
      severity: severity === "note" ? "info" : severity,
      message: help === undefined ? message : `${message}\n${help}`,
    },
  ];
}

function offsetOf(doc: Text, { line, column }: Position): number {
  if (line > doc.lines) return doc.length;
  const { from, to } = doc.line(Math.max(1, line));
  return Math.min(to, from + Math.max(0, column - 1));
}
