import { historyField, isolateHistory } from "@codemirror/commands";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type RefObject, useEffect, useRef } from "react";
import { styleNonce } from "../app/theme";

export interface EditorInPage {
  place: RefObject<HTMLDivElement | null>;
  /** Undefined until the page is rendered. */
  view: RefObject<EditorView | undefined>;
}

/** State that an editor passes to the next one of the same text: undo history and cursor. */
export interface EditorMemory {
  state?: unknown;
}
/** Marks a change from outside, which is not reported back. */
const outside = Annotation.define<true>();
const REMEMBERED = { history: historyField };

/**
 * Replaces the shown text if the outer one differs.
 * @param extension a new value keeps focus, marks and history
 * @param memory state of the previous editor here
 */
export function useEditor(
  text: string,
  extension: Extension,
  onChange?: (text: string) => void,
  memory?: EditorMemory,
): EditorInPage {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changed = useRef(onChange);
  changed.current = onChange;
  const began = useRef(text);
  const besides = useRef(new Compartment());
  const newest = useRef(extension);
  newest.current = extension;

  useEffect(() => {
    if (place.current === null) return;
    const extensions = [
      EditorView.cspNonce.of(styleNonce()),
      EditorView.lineWrapping,
      ...[LOOKS, besides.current.of(newest.current)],
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        if (docChanged && !transactions.some((each) => each.annotation(outside)))
          changed.current?.(state.sliceDoc());
      }),
    ];
    const editor = new EditorView({
      parent: place.current,
      state:
        memory?.state === undefined
          ? EditorState.create({ doc: began.current, extensions })
          : EditorState.fromJSON(memory.state, { extensions }, REMEMBERED),
    });
    view.current = editor;
    return () => {
      if (memory !== undefined) memory.state = editor.state.toJSON(REMEMBERED);
      editor.destroy();
    };
  }, [memory]);

  useEffect(() => {
    view.current?.dispatch({ effects: besides.current.reconfigure(extension) });
  }, [extension]);

  useEffect(() => {
    const editor = view.current;
    began.current = text;
    if (editor === undefined || editor.state.sliceDoc() === text) return;
    // An undo reverts a change from outside separately.
    const annotations = [isolateHistory.of("full"), outside.of(true)];
    editor.dispatch({ changes: difference(editor.state.sliceDoc(), text), annotations });
  }, [text]);

  return { place, view };
}

/** Difference of two texts as one change, so that the cursor stays in place and an undo is small. */
function difference(before: string, after: string): { from: number; to: number; insert: string } {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let left = 0;
  while (left < most - from && before[before.length - 1 - left] === after[after.length - 1 - left]) left += 1;
  return { from, to: before.length - left, insert: after.slice(from, after.length - left) };
}

/** Styles of editors. The colors are CSS variables of the page, so they follow the theme. */
const LOOKS: Extension = [
  syntaxHighlighting(
    HighlightStyle.define([
      {
        tag: [tags.propertyName, tags.definition(tags.propertyName)],
        color: "var(--mantine-color-blue-text)",
      },
      { tag: tags.string, color: "var(--code-string)" },
      { tag: [tags.number, tags.bool, tags.null], color: "var(--mantine-color-grape-text)" },
      { tag: tags.keyword, color: "var(--mantine-color-violet-text)" },
      { tag: tags.comment, color: "var(--mantine-color-dimmed)" },
    ]),
  ),
  EditorView.theme({
    "&": { color: "var(--mantine-color-text)", backgroundColor: "var(--mantine-color-body)" },
    ".cm-content": {
      caretColor: "var(--mantine-color-text)",
      fontFamily: "var(--mantine-font-family-monospace)",
    },
    ".cm-cursor": { borderLeftColor: "var(--mantine-color-text)" },
    ".cm-gutters": {
      backgroundColor: "var(--mantine-color-default-hover)",
      color: "var(--mantine-color-dimmed)",
      border: "none",
    },
    ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--mantine-color-text) 4%, transparent)" },
    "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
      backgroundColor: "color-mix(in srgb, var(--mantine-color-blue-filled) 30%, transparent) !important",
    },
    ".cm-tooltip": {
      color: "var(--mantine-color-text)",
      backgroundColor: "var(--mantine-color-body)",
      borderColor: "var(--mantine-color-default-border)",
    },
  }),
];
