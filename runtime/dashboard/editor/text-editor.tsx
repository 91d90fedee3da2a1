import { autocompletion, completionKeymap, completionStatus } from "@codemirror/autocomplete";
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
import { useFixLabel } from "./fixes";
import { isOurs } from "./located-diagnostics";
import type { SchemaSource } from "./schema-at";
import { completions } from "./schema-completion";
import { type FieldHover, fieldSummary, schemaHover } from "./schema-hover";
import { type EditorMemory, useEditor } from "./use-editor";

export interface TextEditorProps {
  label: string;
  format: Format;
  text: string;
  readOnly?: boolean;
  /** Shown at their positions in this text. */
  findings: readonly Finding[];
  schema?: SchemaSource;
  /** State of the previous editor of this text. */
  memory?: EditorMemory;
  /** Tab moves the focus, as in a form. */
  tabLeaves?: boolean;
  /** Receives pasted text, and whether it replaces the whole text; true prevents the editor from inserting it. */
  onPaste?(text: string, isOverAll: boolean): boolean;
  onChange(text: string): void;
  onFix(fix: Fix): void;
}

const extensions = ({
  label,
  format,
  readOnly,
  schema,
  tabLeaves,
  facts,
  pasted,
}: Pick<TextEditorProps, "label" | "format" | "readOnly" | "schema" | "tabLeaves"> & {
  facts: FieldHover;
  pasted: (event: ClipboardEvent, view: EditorView) => boolean;
}) => [
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
    ...(tabLeaves ? [] : [indentWithTab]),
  ]),
  EditorView.domEventHandlers({ paste: pasted }),
  // Escape closes the completion, not the drawer around it.
  EditorView.contentAttributes.of(({ state }) =>
    completionStatus(state) === null ? null : { "data-mantine-stop-propagation": "true" },
  ),
  // Read-only text must still be reachable by the keyboard.
  EditorView.contentAttributes.of({ "aria-label": label, ...(readOnly && { tabindex: "0" }) }),
  EditorState.readOnly.of(readOnly === true),
  EditorView.editable.of(readOnly !== true),
];

export function TextEditor({
  label,
  format,
  text,
  readOnly = false,
  findings,
  schema,
  memory,
  tabLeaves = false,
  onPaste,
  onChange,
  onFix,
}: TextEditorProps) {
  const { t } = useTranslation();
  const labelOf = useFixLabel();
  const mend = useRef(onFix);
  mend.current = onFix;
  const paste = useRef(onPaste);
  paste.current = onPaste;
  const extension = useMemo(
    () =>
      extensions({
        ...{ label, format, readOnly, schema, tabLeaves },
        facts: (...of) => fieldSummary(t, ...of),
        pasted: (event, { state }) => isTaken(event, state, paste.current),
      }),
    [format, label, readOnly, schema, tabLeaves, t],
  );
  const { place, view } = useEditor(text, extension, onChange, memory);

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

function isTaken(event: ClipboardEvent, state: EditorState, take: TextEditorProps["onPaste"]): boolean {
  const { from, to } = state.selection.main;
  const isOverAll = to - from >= state.sliceDoc().trimEnd().length;
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (state.readOnly || take?.(text, isOverAll) !== true) return false;
  event.preventDefault();
  return true;
}

/** Marks a diagnostic in the text; those of other files appear only in the list. */
function marked(doc: Text, { span, severity, message, help }: Finding): Diagnostic[] {
  if (span === undefined || !isOurs(span)) return [];
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
