import { useDeferredValue, useMemo, useState } from "react";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import { arrange, isNumeric, nextSorting, type Sorting, sortOf } from "#web/lib/sort-rows.ts";
import ChartLine from "lucide-react/icons/chart-line";
import { IconButton } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { Skeleton, SkeletonLine } from "#web/ui/skeleton.tsx";
import { t } from "#web/i18n/translate.ts";
import { CodeView } from "../code-view.tsx";
import { Plot } from "./plot/csv-plot.tsx";
import { columnCount, columnWidths, type Table } from "./rows.ts";
import { useRows } from "./use-rows.ts";
import { useWindow } from "./use-window.ts";
import styles from "./csv-table.module.css";

/** Comma or tab separated values as a table that can be sorted and filtered. Only the rows on the screen are rendered. */
export function CsvTable({ text, name }: { text: string; name: string }) {
  const { table, isComplete, hasFailed } = useRows(text);
  if (hasFailed) return <CodeView code={text} language="csv" isOpen={false} />;
  if (table === undefined)
    return (
      <Skeleton label={t("panel.loading")}>
        <div className={styles["loading"]}>
          <SkeletonLine width={100} />
          <SkeletonLine width={92} />
        </div>
      </Skeleton>
    );
  return <SortedTable table={table} name={name} isComplete={isComplete} />;
}

function SortedTable({ table, name, isComplete }: { table: Table; name: string; isComplete: boolean }) {
  const [filter, setFilter] = useState("");
  const [sorting, setSorting] = useState<Sorting>();
  const deferredFilter = useDeferredValue(filter);
  const rows = useMemo(() => arrange(table.rows, deferredFilter, sorting), [table, deferredFilter, sorting]);
  const widths = useMemo(() => columnWidths(table), [table]);
  const columns = useMemo(() => columnCount(table), [table]);
  const numeric = useMemo(() => widths.map((_, column) => isNumeric(table.rows, column)), [table, widths]);
  const names = useMemo(
    () => widths.map((_, column) => table.head[column]?.trim() || t("panel.column", { number: column + 1 })),
    [table, widths],
  );
  const [isPlotted, setPlotted] = useState(false);
  const { box, first, last, above, below } = useWindow(rows.length);

  const sortBy = (column: number) => setSorting((before) => nextSorting(before, column));
  return (
    <>
      <div className={styles["tools"]}>
        <input
          type="search"
          value={filter}
          placeholder={t("panel.filter")}
          aria-label={t("panel.filter")}
          className={styles["filter"]}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        {numeric.includes(true) && (
          <IconButton
            icon={ChartLine}
            label={t("plot.label")}
            aria-pressed={isPlotted}
            className={styles["toggle"]}
            onClick={() => setPlotted(!isPlotted)}
          />
        )}
        <span role="status" className="text-2 ink-faint figures">
          {deferredFilter.trim() === ""
            ? t("panel.rows", { count: table.rows.length })
            : t("panel.rowsOf", { found: rows.length, count: table.rows.length })}
          {!isComplete && " …"}
          {columns > widths.length && (
            <> · {t("panel.columnsOf", { shown: widths.length, count: columns })}</>
          )}
        </span>
      </div>
      {isPlotted && numeric.includes(true) && <Plot rows={rows} names={names} numeric={numeric} />}
      {/* The keyboard can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div ref={box} className={styles["box"]} tabIndex={0} role="region" aria-label={name}>
        <table
          className={styles["table"]}
          aria-rowcount={rows.length + 1}
          style={{ inlineSize: `${widths.reduce((sum, width) => sum + width, 0)}ch` }}
        >
          <colgroup>
            {widths.map((width, column) => (
              <col key={column} style={{ inlineSize: `${width}ch` }} />
            ))}
          </colgroup>
          <thead>
            <tr>
              {widths.map((_, column) => (
                <th
                  key={column}
                  scope="col"
                  aria-sort={sortOf(sorting, column)}
                  data-number={numeric[column] || undefined}
                >
                  <button type="button" dir="auto" onClick={() => sortBy(column)}>
                    {names[column]}
                    {sorting?.column === column && (
                      <Icon of={sorting.isDescending ? ArrowDown : ArrowUp} size={13} />
                    )}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {above > 0 && <tr aria-hidden style={{ blockSize: above }} />}
            {rows.slice(first, last).map((row, i) => (
              <tr key={first + i} aria-rowindex={first + i + 2}>
                {widths.map((_, column) => (
                  <td key={column} dir="auto" title={row[column]} data-number={numeric[column] || undefined}>
                    {row[column]}
                  </td>
                ))}
              </tr>
            ))}
            {below > 0 && <tr aria-hidden style={{ blockSize: below }} />}
          </tbody>
        </table>
        {rows.length === 0 && table.rows.length > 0 && <p className={styles["none"]}>{t("panel.noRows")}</p>}
      </div>
    </>
  );
}
