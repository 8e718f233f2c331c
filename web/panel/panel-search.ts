import { panelViews } from "#contract/artifacts/panel-views.ts";
import { limits } from "#contract/limits.ts";

/** What the address of a thread says about its panel. */
export type PanelSearch = {
  /** The key of the open artifact, of a source or of a file. */
  panel?: string;
  /** The answer whose version or source is shown. Absent: the latest version. */
  v?: string;
  view?: PanelView;
  /** The version that the shown one is compared with. Absent: the one before it. */
  base?: string;
  /** The panel covers the window. */
  full?: "1";
};

export type PanelView = (typeof panelViews)[number];

/** The valid part of `search`; nothing without an artifact. */
export function panelSearch({ panel, v, view, base, full }: Record<string, unknown>): PanelSearch {
  if (!isKey(panel)) return {};
  const validView = panelViews.find((name) => name === view);
  return {
    panel,
    ...(isKey(v) ? { v } : {}),
    ...(validView === undefined ? {} : { view: validView }),
    ...(isKey(base) ? { base } : {}),
    ...(full === "1" ? { full } : {}),
  };
}

function isKey(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= limits.panelKeyCharacters;
}

/** The key of a source of an answer. No artifact has such a key, because no language has this name. */
export function sourceKey(number: number): string {
  return `source:${number}`;
}
