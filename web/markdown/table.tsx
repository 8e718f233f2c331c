import { Fragment, type ReactNode, use, useEffect, useRef, useState } from "react";
import type { AlignType } from "mdast";
import Check from "lucide-react/icons/check";
import ClipboardList from "lucide-react/icons/clipboard-list";
import Copy from "lucide-react/icons/copy";
import Download from "lucide-react/icons/download";
import Maximize from "lucide-react/icons/maximize-2";
import X from "lucide-react/icons/x";
import { saveFile } from "#web/data/transfer/save-file.ts";
import { IconButton } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { csvOf } from "#web/lib/csv.ts";
import { observeSize } from "#web/lib/observe-size.ts";
import { arrange, nextSorting, type Sorting } from "#web/lib/sort-rows.ts";
import { useCopied } from "#web/ui/copy/use-copied.ts";
import { t } from "#web/i18n/translate.ts";
import { SortingContext } from "./sortable-head.tsx";
import { SourceMarksContext } from "./source-marks-context.ts";
import styles from "./table.module.css";

/** Pages of shared threads are rendered on the server, where no script sorts anything. */
const isOnServer = typeof location === "undefined";

/** A cell: its text without marks, and as it is written. */
export type Cell = { text: string; markdown: string; align: AlignType | undefined };

/**
 * The rows of a table; `cells` returns all cells, with the header first, and `allRows` the rows one by one. Without it,
 * the table cannot be sorted, because it is still being written.
 */
export type TableContent = {
  head: ReactNode;
  rows: ReactNode;
  cells: () => readonly Cell[][];
  allRows: (() => readonly ReactNode[]) | undefined;
};

/** A table that scrolls sideways and can be sorted, with buttons that copy or save it or show it in full width. */
export function TableFigure({ head, rows, cells, ...content }: TableContent) {
  const allRows = isOnServer ? undefined : content.allRows;
  const [isExpanded, setExpanded] = useState(false);
  const [sorting, setSorting] = useState<Sorting>();
  const marks = use(SourceMarksContext);
  const csv = useCopied();
  const markdown = useCopied();
  const active = allRows === undefined ? undefined : sorting;
  const sorted = active === undefined ? undefined : sortedOrder(cells(), active);
  const shown = () => {
    const [first = [], ...others] = cells();
    return [first, ...(sorted?.map((row) => others[row] ?? []) ?? others)];
  };
  const all = sorted === undefined ? undefined : allRows?.();
  const grid = (
    <SortingContext
      value={
        allRows && {
          sorting: active,
          sortBy: (column) => setSorting((before) => nextSorting(before, column)),
        }
      }
    >
      <Grid
        head={head}
        rows={sorted === undefined ? rows : sorted.map((row) => <Fragment key={row}>{all?.[row]}</Fragment>)}
      />
    </SortingContext>
  );
  const csvOfShown = () => csvOf(shown().map((row) => row.map(({ text }) => text)));
  const status = (
    <span role="status" className="visually-hidden">
      {(csv.isCopied || markdown.isCopied) && t("action.copied")}
    </span>
  );
  const buttons = (
    <>
      <IconButton
        icon={csv.isCopied ? Check : Copy}
        size={16}
        label={csv.isCopied ? t("action.copied") : t("table.copyCsv")}
        onClick={() => csv.copy(csvOfShown())}
      />
      <IconButton
        icon={markdown.isCopied ? Check : ClipboardList}
        size={16}
        label={markdown.isCopied ? t("action.copied") : t("table.copyMarkdown")}
        onClick={() => markdown.copy(markdownOf(shown()))}
      />
      <IconButton
        icon={Download}
        size={16}
        label={t("file.downloadNamed", { name: "table.csv" })}
        onClick={() => saveFile({ name: "table.csv", blob: new Blob([csvOfShown()], { type: "text/csv" }) })}
      />
    </>
  );
  return (
    <figure className={styles["figure"]}>
      {grid}
      <div className={styles["actions"]}>
        {!isExpanded && status}
        {buttons}
        <IconButton icon={Maximize} size={16} label={t("table.expand")} onClick={() => setExpanded(true)} />
      </div>
      {isExpanded && (
        <Dialog label={t("fileKind.table")} className={styles["dialog"]} onClose={() => setExpanded(false)}>
          <div className={styles["bar"]}>
            {status}
            {buttons}
            <IconButton icon={X} label={t("action.close")} onClick={() => setExpanded(false)} />
          </div>
          {/* The panel that a mark opens is behind the dialog. */}
          <SourceMarksContext
            value={
              marks && {
                ...marks,
                open(number) {
                  setExpanded(false);
                  marks.open(number);
                },
              }
            }
          >
            {grid}
          </SourceMarksContext>
        </Dialog>
      )}
    </figure>
  );
}

/** The numbers of the rows below the header in their order. */
function sortedOrder([, ...rows]: readonly Cell[][], { column, isDescending }: Sorting): number[] {
  const numbered = rows.map((row, i) => [String(i), ...row.map(({ text }) => text)]);
  return arrange(numbered, "", { column: column + 1, isDescending }).map(([number]) => Number(number));
}

/** The rows as a Markdown table, with the header first. */
function markdownOf([head = [], ...rows]: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const rule = head.map(({ align }) => rules[align ?? "none"]);
  const [first = [], ...others] = [head, ...rows].map((row) => row.map(({ markdown }) => markdown));
  return [first, rule, ...others].map(line).join("");
}

const rules = { none: "---", left: ":--", center: ":-:", right: "--:" };

function Grid({ head, rows }: Pick<TableContent, "head" | "rows">) {
  const frame = useRef<HTMLDivElement>(null);
  useEdgeFade(frame);
  return (
    <div ref={frame} className={styles["frame"]}>
      <ScrollBox dir="auto" label={t("fileKind.table")} className={styles["box"]}>
        <table>
          <thead>{head}</thead>
          <tbody>{rows}</tbody>
        </table>
      </ScrollBox>
    </div>
  );
}

/** Marks the sides of the frame beyond which its box can scroll. */
function useEdgeFade(frame: React.RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const element = frame.current;
    const box = element?.firstElementChild;
    if (element === null || !(box instanceof HTMLElement)) return undefined;
    const update = () => {
      const hidden = box.scrollWidth - box.clientWidth;
      // From right to left, `scrollLeft` is 0 at the right end and negative elsewhere.
      const isRtl = getComputedStyle(box).direction === "rtl";
      const hiddenLeft = isRtl ? hidden + box.scrollLeft : box.scrollLeft;
      element.toggleAttribute("data-more-left", hiddenLeft > 1);
      element.toggleAttribute("data-more-right", hidden - hiddenLeft > 1);
    };
    const stop = observeSize([box, ...box.children], update);
    box.addEventListener("scroll", update, { passive: true });
    return () => {
      stop();
      box.removeEventListener("scroll", update);
    };
  }, [frame]);
}
