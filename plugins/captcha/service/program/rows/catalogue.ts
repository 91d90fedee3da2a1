/**
 * A row is one layout experiment of a browser's program: it builds elements and reads numbers. Chromium,
 * Firefox and WebKit give the same answers to these rows at any zoom, with any font and any preference.
 * Emulations of a browser without layout have nearly none right. The order decides which rows a seed draws, so
 * it is written here: bundlers may order the exports of a module in another way.
 */
import type { MakeRow } from "../row.js";
import { brokenSpan, clearedFloat, collapsedMargins, inlineBlocks, verticalWriting } from "./flow.js";
import { drawnLine, pathHits, roundCorner, topmostBox } from "./hits-and-drawings.js";
import { denseGrid, fixedTable, gridTracks, growingItems, shrinkingItems } from "./lines-and-grids.js";
import {
  aspectRatio,
  clampAndCalc,
  insetBox,
  rotatedBox,
  stickyBox,
  transformMatrix,
} from "./sizes-and-positions.js";
import { containerQuery, generatedBox, inheritedVariable, pausedAnimation, shownWords } from "./styles.js";

export const ROWS = {
  growing_items: growingItems,
  shrinking_items: shrinkingItems,
  grid_tracks: gridTracks,
  dense_grid: denseGrid,
  collapsed_margins: collapsedMargins,
  cleared_float: clearedFloat,
  inline_blocks: inlineBlocks,
  broken_span: brokenSpan,
  fixed_table: fixedTable,
  aspect_ratio: aspectRatio,
  clamp_and_calc: clampAndCalc,
  turned_box: rotatedBox,
  transform_matrix: transformMatrix,
  vertical_writing: verticalWriting,
  sticky_box: stickyBox,
  inset_box: insetBox,
  topmost_box: topmostBox,
  round_corner: roundCorner,
  container_query: containerQuery,
  inherited_variable: inheritedVariable,
  generated_box: generatedBox,
  shown_words: shownWords,
  paused_animation: pausedAnimation,
  drawn_line: drawnLine,
  path_hits: pathHits,
} as const satisfies Record<string, MakeRow>;

export type RowName = keyof typeof ROWS;
export const ROW_NAMES = Object.keys(ROWS) as readonly RowName[];
