import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { EditorState, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, highlightSpecialChars, keymap, WidgetType } from "@codemirror/view";
import { useEffect, useMemo } from "react";
import { useEditor } from "./use-editor";

/** A range of a text; it is empty if `from` equals `to`. */
interface MarkedRange {
  from: number;
  to: number;
}

export interface MarkedTextProps {
  label: string;
  text: string;
  /** Applied if they belong to the current text; otherwise the previous marks move with the edits. */
  marks: { of: string; stretches: readonly MarkedRange[] };
  onChange(text: string): void;
}

/** Mark of an empty match: a line between two characters. */
class EmptyMatch extends WidgetType {
  override eq(): boolean {
    return true;
  }

  override toDOM(): HTMLElement {
    const line = document.createElement("span");
    line.className = "match-empty";
    return line;
  }
}

const EMPTY = Decoration.widget({ widget: new EmptyMatch(), side: 1 });
/** Two alternating styles distinguish adjacent matches. */
const MATCH = ["match match-even", "match match-odd"].map((name) => Decoration.mark({ class: name }));

const setMarks = StateEffect.define<readonly MarkedRange[]>();
const shown = StateField.define({
  create: () => Decoration.none,
  update(before, { changes, effects }) {
    for (const effect of effects) if (effect.is(setMarks)) return Decoration.set(ranges(effect.value), true);
    return before.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const ranges = (stretches: readonly MarkedRange[]): Range<Decoration>[] =>
  stretches.map(({ from, to }, i) =>
    from === to ? EMPTY.range(from) : (MATCH[i % 2] ?? EMPTY).range(from, to),
  );

export function MarkedText({ label, text, marks, onChange }: MarkedTextProps) {
  const extension = useMemo(
    () => [
      // A carriage return is a character of the text, which patterns can match.
      EditorState.lineSeparator.of("\n"),
      highlightSpecialChars(),
      history(),
      keymap.of([...defaultKeymap, ...historyKeymap]),
      EditorView.contentAttributes.of({ "aria-label": label }),
      shown,
    ],
    [label],
  );
  const { place, view } = useEditor(text, extension, onChange);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.sliceDoc() !== marks.of) return;
    editor.dispatch({ effects: setMarks.of(marks.stretches) });
  }, [marks, view]);

  return <div ref={place} className="marked-text" />;
}
