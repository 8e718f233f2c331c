import { createContext, type ReactNode, use } from "react";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import ArrowUpDown from "lucide-react/icons/arrow-up-down";
import { type Sorting, sortOf } from "#web/lib/sort-rows.ts";
import { IconButton } from "#web/ui/button.tsx";
import { printNumber, t } from "#web/i18n/translate.ts";
import styles from "./table.module.css";

/** How a table is sorted; `undefined` while its rows are still being written. */
export const SortingContext = createContext<
  { sorting: Sorting | undefined; sortBy(column: number): void } | undefined
>(undefined);

/** The head of a column, with a button that sorts the table by it. `name`: its text. */
export function SortableHead({
  column,
  name,
  align,
  children,
}: {
  column: number;
  name: string;
  align: string | null | undefined;
  children: ReactNode;
}) {
  const table = use(SortingContext);
  const order = sortOf(table?.sorting, column);
  const button = table !== undefined && (
    <span className={styles["sortBox"]}>
      <IconButton
        icon={order === "none" ? ArrowUpDown : order === "ascending" ? ArrowUp : ArrowDown}
        size={13}
        label={
          name.trim() === ""
            ? t("table.sortByColumn", { number: printNumber(column + 1) })
            : t("table.sortBy", { name })
        }
        className={styles["sort"]}
        onClick={() => table.sortBy(column)}
      />
    </span>
  );
  // Before the text of a right-aligned column, so that the text ends where the cells below it do.
  return (
    <th scope="col" data-align={align} aria-sort={table === undefined ? undefined : order}>
      {align === "right" && button}
      {children}
      {align !== "right" && button}
    </th>
  );
}
