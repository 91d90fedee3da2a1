import { defaultKeymap } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useMemo, useRef } from "react";
import { useEditor } from "./use-editor";

export interface JoinedTextProps {
  label: string;
  language: "yaml" | "json" | "typescript";
  text: string;
  /** Lines, counted from 1. */
  marked: readonly number[];
  /** Scrolls to the marked lines; false while the pointer selects them here. */
  follows: boolean;
  /** Receives the line below the pointer, or else with the cursor; undefined if there is neither. */
  onLine(line: number | undefined): void;
}

const LANGUAGES = {
  yaml,
  json,
  typescript: () => javascript({ typescript: true }),
};

const LINE = Decoration.line({ class: "joined" });
const setLines = StateEffect.define<readonly number[]>();
const shown = StateField.define({
  create: () => Decoration.none,
  update(before, { changes, effects, state }) {
    for (const effect of effects)
      if (effect.is(setLines)) {
        const there = effect.value.filter((line) => line <= state.doc.lines);
        return Decoration.set(there.map((line) => LINE.range(state.doc.line(line).from)));
      }
    return before.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Calls `tell` once for each change. */
function watched(tell: (line: number | undefined) => void) {
  const lineAt = (view: EditorView, at: number) => view.state.doc.lineAt(at).number;
  const ofCursor = (view: EditorView) =>
    view.hasFocus ? lineAt(view, view.state.selection.main.head) : undefined;
  return [
    EditorView.domEventHandlers({
      mousemove(event, view) {
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
        tell(at === null ? ofCursor(view) : lineAt(view, at));
      },
      mouseleave: (_, view) => tell(ofCursor(view)),
      focus: (_, view) => tell(ofCursor(view)),
      blur: () => tell(undefined),
    }),
    EditorView.updateListener.of(({ selectionSet, view }) => {
      if (selectionSet && view.hasFocus) tell(ofCursor(view));
    }),
  ];
}

/** Margin in px above a line that is scrolled to. */
const ABOVE = 40;

/** The page does not scroll, which would move other lines below the pointer. */
function show(editor: EditorView, line: number): void {
  const { state, scrollDOM } = editor;
  if (line > state.doc.lines) return;
  const { top, bottom } = editor.lineBlockAt(state.doc.line(line).from);
  const { scrollTop, clientHeight } = scrollDOM;
  if (top < scrollTop || bottom > scrollTop + clientHeight) scrollDOM.scrollTop = top - ABOVE;
}

/** A read-only text next to others, with marked lines; reports the selected line. */
export function JoinedText({ label, language, text, marked, follows, onLine }: JoinedTextProps) {
  const told = useRef(onLine);
  told.current = onLine;
  const extension = useMemo(() => {
    let last: number | undefined;
    const tell = (line: number | undefined) => {
      if (line === last) return;
      last = line;
      told.current(line);
    };
    return [
      ...[lineNumbers(), drawSelection(), highlightSelectionMatches(), LANGUAGES[language]()],
      keymap.of([...defaultKeymap, ...searchKeymap]),
      // Opens no keyboard on a phone, and still lets the cursor move.
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      ...[EditorState.readOnly.of(true), EditorView.editable.of(false)],
      ...[shown, watched(tell)],
    ];
  }, [label, language]);
  const { place, view } = useEditor(text, extension);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    editor.dispatch({ effects: setLines.of(marked) });
    const [first] = marked;
    if (!follows || first === undefined) return;
    show(editor, first);
    // Heights of lines outside of the viewport are measured only now.
    editor.requestMeasure({ read: () => undefined, write: () => show(editor, first) });
  }, [marked, follows, view]);

  return <div ref={place} className="joined-text" />;
}
