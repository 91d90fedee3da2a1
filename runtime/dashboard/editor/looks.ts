import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Styles of editors. The colors are CSS variables of the page, so they follow the theme. */
export const LOOKS: Extension = [
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
